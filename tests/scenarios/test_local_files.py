"""The files in the checkpoints of tests are Hadoop's: only the way in which permissions are set is another one."""

from pathlib import Path

from pyspark.sql import SparkSession


def test_files_of_checkpoints_have_the_permissions_that_hadoop_gives_them(spark: SparkSession, tmp_path: Path) -> None:
    jvm, gateway = spark._jvm, spark.sparkContext._gateway
    assert jvm is not None
    assert gateway is not None
    hadoop = jvm.org.apache.hadoop
    ours, plain = spark._jsparkSession.sessionState().newHadoopConf(), hadoop.conf.Configuration()
    names, modes = {}, {}
    for name, configuration in {"ours": ours, "plain": plain}.items():
        files = hadoop.fs.FileContext.getFileContext(jvm.java.net.URI("file:///"), configuration)
        names[name] = files.getDefaultFileSystem().getClass().getName()
        folder = hadoop.fs.Path(f"{tmp_path}/{name}/deep")
        files.mkdir(folder, hadoop.fs.permission.FsPermission("750"), True)
        options = gateway.new_array(hadoop.fs.Options.CreateOpts, 0)
        for file, permission in {"default": None, "private": "600", "open": "777"}.items():
            path = hadoop.fs.Path(folder, file)
            files.create(path, jvm.java.util.EnumSet.of(hadoop.fs.CreateFlag.CREATE), options).close()
            if permission is not None:
                files.setPermission(path, hadoop.fs.permission.FsPermission(permission))
        made = sorted((tmp_path / name).rglob("*"))
        modes[name] = {str(path.relative_to(tmp_path / name)): oct(path.stat().st_mode) for path in made}
    assert names == {"ours": "LocalFiles", "plain": "org.apache.hadoop.fs.local.LocalFs"}
    assert modes["ours"] == modes["plain"]
    assert modes["ours"]["deep/private"] == "0o100600"
    assert "deep/.default.crc" in modes["ours"], "with checksums"

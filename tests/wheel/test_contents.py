"""What lies in the jars and in the wheel, name by name: nothing of others at the root, and the terms of each part."""

import re
import zipfile
from email.parser import Parser
from pathlib import Path

import dynamic_kafka
import pytest
from project.release.central import dependencies, read_pom, text

from tests.readme import ROOT

TOP = "io/github/dynamickafka/"
BUILT = ROOT / "jvm" / "target" / "scala-2.13"
POMS = {"shaded": ROOT / "jvm" / "shaded" / "target" / "scala-2.13", "thin": BUILT}
# In both jars, beside the classes.
COMMON = {
    "META-INF/MANIFEST.MF",
    "META-INF/LICENSE",
    "META-INF/NOTICE",
    "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
}
LICENSES = {str(file.relative_to(ROOT)) for file in (ROOT / "licenses").rglob("*") if file.is_file()}


def files(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return {name for name in opened.namelist() if not name.endswith("/")}


def read(archive: Path, name: str) -> bytes:
    with zipfile.ZipFile(archive) as opened:
        return opened.read(name)


def thin() -> Path:
    (jar,) = (one for one in BUILT.glob("dynamic-kafka-spark-thin_*.jar") if re.search(r"\d\.jar$", one.name))
    return jar


def parts() -> dict[str, str]:
    """By the folder of the jar where a part lies now, its line in `licenses/README.txt`."""
    lines = (ROOT / "licenses" / "README.txt").read_text().splitlines()
    renamed = ((re.search(r"\borg(?:\.\w+)+(?= )", line), line) for line in lines if re.match(r"\S.*  |  in it", line))
    found = {match[0]: line for match, line in renamed if match}
    return {re.sub(r"^org/(apache/)?", f"{TOP}shaded/", name.replace(".", "/")): line for name, line in found.items()}


def test_the_thin_jar_holds_our_packages_and_nothing_else() -> None:
    outside = {name for name in files(thin()) if not name.startswith(f"{TOP}spark/")}
    assert outside == COMMON


def test_the_shaded_jar_holds_our_packages_the_renamed_ones_and_the_terms_of_each() -> None:
    outside = {
        name for name in files(dynamic_kafka.jar_path()) if not name.startswith((f"{TOP}spark/", f"{TOP}shaded/"))
    }
    provider = "org.apache.kafka.common.config.provider.ConfigProvider"
    services = f"META-INF/services/{provider.replace('org.apache', 'io.github.dynamickafka.shaded')}"
    # Kafka's own copy of the Apache License; of its notice there is one, and the build compares both.
    theirs = {"META-INF/licenses/kafka-clients/LICENSE"}
    assert outside == {*COMMON, services, *theirs, *(f"META-INF/{name}" for name in LICENSES)}


def test_each_part_of_others_is_listed_with_its_license_also_one_inside_of_another() -> None:
    listed = parts()
    assert listed
    shaded = {name for name in files(dynamic_kafka.jar_path()) if name.startswith(f"{TOP}shaded/")}
    held = {part: [name for name in shaded if name.startswith(f"{part}/")] for part in listed}
    assert [part for part, names in held.items() if not names] == []
    assert shaded - {name for names in held.values() for name in names} == set()
    # What a part took in from elsewhere lies in such folders, and has a line of its own.
    inner = {name for name in shaded if re.search(r"/shaded/\w+/.*?/?(shaded|external)/", name)}
    nested = {name for part, names in held.items() if listed[part].startswith("  in it") for name in names}
    assert inner
    assert inner == nested


def test_kafkas_client_in_the_jar_finds_its_own_version() -> None:
    file = f"{TOP}shaded/kafka/kafka-version.properties"
    parser = read(dynamic_kafka.jar_path(), f"{TOP}shaded/kafka/common/utils/AppInfoParser.class")
    assert f"/{file}".encode() in parser
    version = re.search(r'kafkaVersion = "(.+)"', (ROOT / "project" / "Dependencies.scala").read_text())
    assert version
    assert f"version={version[1]}" in read(dynamic_kafka.jar_path(), file).decode().splitlines()


@pytest.mark.parametrize("artifact", ["dynamic-kafka-spark", "dynamic-kafka-spark-thin"])
def test_the_manifest_names_the_artifact_and_starts_nothing(artifact: str) -> None:
    jar = thin() if artifact.endswith("thin") else dynamic_kafka.jar_path()
    manifest = dict(Parser().parsestr(read(jar, "META-INF/MANIFEST.MF").decode()).items())
    assert manifest["Implementation-Title"] == artifact
    assert manifest["Automatic-Module-Name"] == "io.github.dynamickafka.spark"
    assert re.match(r"\d+\.\d+", manifest["Build-Jdk"])
    assert "Main-Class" not in manifest


def test_the_terms_in_the_jars_are_those_of_the_repository() -> None:
    for name in ("LICENSE", "NOTICE"):
        assert {read(jar, f"META-INF/{name}") for jar in (thin(), dynamic_kafka.jar_path())} == {
            (ROOT / name).read_bytes()
        }


@pytest.mark.parametrize("project", POMS)
def test_the_shaded_pom_has_no_dependencies_and_the_thin_one_those_that_a_user_needs(project: str) -> None:
    (file,) = POMS[project].glob("*.pom")
    pom = read_pom(file)
    needed = {
        ("org.scala-lang", "scala-library", ""),
        ("org.apache.kafka", "kafka-clients", ""),
        ("org.bitbucket.b_c", "jose4j", ""),
        ("org.snakeyaml", "snakeyaml-engine", ""),
        ("org.apache.spark", "spark-sql_2.13", "provided"),
    }
    found = {(group, artifact, scope) for group, artifact, _, scope in dependencies(pom)}
    assert found == (needed if project == "thin" else set())
    assert text(pom, "description").startswith("One Spark Structured Streaming source")


def test_the_wheel_holds_the_package_one_jar_and_the_terms(wheel: Path) -> None:
    (info,) = {name.partition("/")[0] for name in files(wheel) if ".dist-info/" in name}
    terms = {f"{info}/licenses/{name}" for name in ("LICENSE", "NOTICE", *LICENSES)}
    metadata = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    data = {"dynamic_kafka/py.typed", "dynamic_kafka/_brokers/jars.txt", "dynamic_kafka/_conditions.json"}
    package = {*data, f"dynamic_kafka/jars/{dynamic_kafka.jar_path().name}"}
    modules = {str(file.relative_to(ROOT / "python" / "src")) for file in (ROOT / "python" / "src").rglob("*.py")}
    assert files(wheel) == {*terms, *metadata, *package, *modules}


def test_the_wheels_page_in_a_registry_has_the_readme_with_links_that_lead_somewhere(wheel: Path) -> None:
    (name,) = (one for one in files(wheel) if one.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(read(wheel, name).decode())
    assert metadata["License-Expression"] == "Apache-2.0 AND BSD-3-Clause"
    assert set(metadata.get_all("License-File", [])) == {"LICENSE", "NOTICE", *LICENSES}
    assert {one.partition(",")[0] for one in metadata.get_all("Project-URL", [])} >= {"Source", "Changelog", "Issues"}
    assert metadata["Description-Content-Type"] == "text/markdown"
    page = metadata.get_payload()
    assert isinstance(page, str)
    assert page.startswith((ROOT / "README.md").read_text().partition("\n")[0])
    links = re.findall(r'(?:\]\(|src="|href="|srcset=")([^)"\s]+)', page)
    assert links
    assert [link for link in links if not link.startswith(("https://", "http://", "#"))] == []

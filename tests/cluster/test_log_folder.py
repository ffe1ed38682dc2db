"""What a copied log folder has of its own. That a broker starts on it is shown by every other test."""

from pathlib import Path

from tests.cluster.log_folder import copy_formatted


def properties(folder: Path) -> dict[str, str]:
    lines = (folder / "meta.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_a_copied_log_folder_has_its_own_ids_and_all_else_of_the_formatted_one(tmp_path: Path) -> None:
    formatted = tmp_path / "formatted"
    formatted.mkdir()
    (formatted / "bootstrap.checkpoint").write_bytes(b"\x00features")
    (formatted / "meta.properties").write_text("#\nversion=1\ndirectory.id=first\ncluster.id=other\nnode.id=9\n")
    for number in (1, 2):
        copy_formatted(formatted, tmp_path / f"{number}", "cluster-id", number)
    one, two = properties(tmp_path / "1"), properties(tmp_path / "2")
    assert one == {"version": "1", "cluster.id": "cluster-id", "node.id": "1", "directory.id": one["directory.id"]}
    assert two["node.id"] == "2"
    assert len({"first", one["directory.id"], two["directory.id"]}) == 3
    assert (tmp_path / "2" / "bootstrap.checkpoint").read_bytes() == b"\x00features"

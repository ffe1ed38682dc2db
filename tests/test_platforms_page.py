"""`docs/platforms.md`: each way in has tests that exist."""

import re

from tests.promises.promised import ROOT, names_in

PAGE = ROOT / "docs" / "platforms.md"
# By how the page's row begins: the tests that show this way, in their files.
SHOWN = {
    "Python program": {
        "tests/matrix/test_corners.py": [
            "test_the_main_promises_hold_on_this_corner",
            "test_they_hold_in_client_mode_on_a_standalone_cluster",
        ],
        "tests/scenarios/test_start_page.py": [
            "test_the_python_query_follows_the_file_without_a_restart_and_runs_from_the_wheel"
        ],
        "tests/scenarios/test_submit.py": [
            "test_jars_of_each_kind_reach_the_executors_of_a_cluster_beside_the_bundled_one",
        ],
    },
    "the same without installing": {
        "tests/scenarios/test_submit.py": ["test_the_wheel_among_the_py_files_is_all_that_an_interpreter_needs"],
    },
    "session that runs already": {
        "tests/scenarios/test_running_session.py": [
            "test_each_kind_of_sink_gets_each_row_once_in_a_session_that_runs_already",
            "test_each_row_comes_once_though_tasks_are_tried_twice_and_an_executor_is_killed_in_a_running_session",
        ],
        "tests/matrix/test_notebook.py": ["test_cells_of_a_notebook_read_rows_by_a_file_and_by_a_service_of_their_own"],
        "tests/matrix/test_shells.py": ["test_a_pyspark_shell_reads_rows_with_nothing_but_the_wheel"],
    },
    "Scala, Java": {
        "tests/scenarios/test_submit.py": [
            "test_the_artifact_as_a_package_takes_the_place_of_the_bundled_jar",
            "test_the_jar_itself_may_be_submitted",
        ],
        "tests/matrix/test_shells.py": ["test_a_spark_shell_reads_rows_with_the_jar"],
        "tests/scenarios/test_start_page.py": [
            "test_the_query_in_another_language_does_the_same",
            "test_the_table_is_counted_in_sql",
        ],
    },
    "a project of your own": {
        "tests/examples/test_programs.py": [
            "test_a_project_builds_with_the_published_artifact_and_its_query_reads_all",
            "test_the_python_service_and_its_query_run_from_the_wheel_and_follow_the_registry",
        ],
    },
    "a vendor's login": {
        "tests/scenarios/test_thin_jar.py": [
            "test_a_login_handler_compiled_against_kafkas_client_works_with_the_thin_jar",
            "test_configure_spark_brings_the_thin_jar_kafkas_client_and_a_plugin_as_packages",
        ],
    },
    "Spark Connect": {
        "tests/matrix/test_connect.py": [
            "test_rows_come_over_connect_and_a_python_service_is_refused",
            "test_load_brings_the_jar_to_the_executors_of_a_standalone_cluster_behind_connect",
        ],
    },
    "declarative pipeline": {
        "tests/examples/test_declarative_pipelines.py": [
            "test_the_project_is_checked_without_its_streams_and_reads_each_record_of_each_cluster_once"
        ],
    },
}


def test_each_way_in_has_tests_that_exist() -> None:
    (table,) = re.findall(r"^\| way \|.*\n\| -.*\n((?:\| .*\n)+)", PAGE.read_text(), re.MULTILINE)
    ways = [line.removeprefix("| ").partition(" |")[0] for line in table.splitlines()]
    assert [(way, beginning) for way, beginning in zip(ways, SHOWN, strict=True) if not way.startswith(beginning)] == []
    named = [(file, name) for tests in SHOWN.values() for file, names in tests.items() for name in names]
    assert [one for one in named if one[1] not in names_in(one[0])] == []

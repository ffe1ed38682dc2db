package io.github.dynamickafka.spark.metadata

import java.net.{URL, URLClassLoader}
import java.nio.file.{Files, Path, Paths}
import java.util.{Map => JMap}
import java.util.regex.Pattern

import scala.collection.immutable.SortedSet

import io.github.dynamickafka.spark._
import io.github.dynamickafka.spark.errors.{Condition, DynamicKafkaException}
import io.github.dynamickafka.spark.ids.StreamId
import io.github.dynamickafka.spark.options.{ServiceChoice, ServiceSettings, StreamSelection}

/** Leaves out the calls of `single-cluster` to brokers, which scenarios cover. */
class MetadataServicesSuite extends munit.FunSuite with FailureAssertions {
  import MetadataServicesSuite._

  private val placeholders = new Placeholders(Map("WHERE" -> "here").get, _ => throw new java.io.IOException("no"))

  private def open(choice: ServiceChoice, config: (String, String)*): OpenService =
    MetadataServices.open(ServiceSettings(choice, config.toMap), Map.empty, placeholders)

  private def named(of: Class[_]): ServiceChoice = ServiceChoice.ClassName(of.getName)

  private def owned(opened: OpenService): KafkaMetadataService = opened match {
    case OpenService.Owned(later: MadeLater) => later.service
    case OpenService.Owned(service)          => service
    case shared                              => fail(s"not the source's own: $shared")
  }

  private def invalid(choice: ServiceChoice, config: (String, String)*): String =
    failing(Condition.InvalidOption)(owned(open(choice, config: _*))).detail

  test("a class is given its config, with placeholders resolved, by the constructor that takes one") {
    val service = owned(open(named(classOf[Configured]), "Place" -> "${env:WHERE}", "other" -> "x"))
    assertEquals(service.asInstanceOf[Configured].config, JMap.of("Place", "here", "other", "x"))
  }

  test("a class without such a constructor is made without parameters, and each source gets its own") {
    val one = owned(open(named(classOf[Plain])))
    assert(one.isInstanceOf[Plain])
    assert(one ne owned(open(named(classOf[Plain]))))
  }

  test("a service that is made while its source closes is closed too, and none is made only to be closed") {
    var (made, closed)        = (0, 0)
    lazy val later: MadeLater = new MadeLater({ () =>
      made += 1
      if (made == 1) later.close()
      new Empty { override def close(): Unit = closed += 1 }
    })
    later.getAllStreams: Unit
    later.close()
    intercept[IllegalStateException](later.getAllStreams): Unit
    assertEquals((made, closed), (1, 1))
    new MadeLater(() => fail("it is made")).close()
  }

  test("a registered object is shared, and stays the user's") {
    val mine = new InMemoryMetadataService()
    open(ServiceChoice.Registered(Registered.service(mine).stripPrefix(Registered.Prefix))) match {
      case OpenService.Shared(service, _) => assert(service eq mine)
      case other                          => fail(s"not shared: $other")
    }
  }

  test("a class is looked for in the thread's context class loader, then in our own") {
    val thread  = Thread.currentThread
    val context = thread.getContextClassLoader
    val only    = new OnlyOne(classOf[Plain].getName)
    try {
      thread.setContextClassLoader(only)
      assert(owned(open(named(classOf[Plain]))).getClass.getClassLoader eq only)
      assert(owned(open(named(classOf[Configured]))).isInstanceOf[Configured])
    } finally thread.setContextClassLoader(context)
  }

  test("a class that is nowhere, that is no service, or that can't be made, is an invalid option") {
    assertEquals(
      invalid(ServiceChoice.ClassName("com.acme.Missing")),
      "Option metadataService names the class com.acme.Missing, which is not on the driver's class path; add its jar " +
        "with spark.jars or --packages."
    )
    assert(invalid(ServiceChoice.ClassName("java.lang.String")).endsWith(
      "names the class java.lang.String, which does not implement io.github.dynamickafka.spark.KafkaMetadataService."
    ))
    Seq(classOf[WithNumber], classOf[Unfinished]).foreach { of =>
      assert(invalid(named(of)).endsWith("which has no public constructor that fits."), of)
    }
  }

  test("a constructor that throws is an unavailable service, with its text and cause") {
    val failure = failing(Condition.MetadataUnavailable)(owned(open(named(classOf[Broken]))))
    assert(failure.detail.contains("failed: java.lang.IllegalStateException: no network"), failure.detail)
    assert(failure.getCause.isInstanceOf[IllegalStateException])
  }

  test("a placeholder of the config that can't be resolved is an invalid option") {
    assertEquals(
      invalid(named(classOf[Configured]), "password" -> "x${env:NONE}"),
      "The metadata service can't be opened: metadataService.password: ${env:NONE}: the driver's environment has no " +
        "variable NONE."
    )
  }

  test("what a placeholder of the path stands for is in no text of yaml") {
    def texts(file: Path) = {
      val written = file.toString.replace("-here", "-${env:WHERE}")
      val service = owned(open(ServiceChoice.Yaml, "path" -> written))
      val thrown  = intercept[DynamicKafkaException](service.getAllStreams: Unit)
      assert(thrown.detail.contains(written), thrown.detail)
      Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("\n")
    }
    val wrong = Files.writeString(Files.createTempFile("streams-here", ".yaml"), "- streamId: orders\n  colour: red\n")
    for (text <- Seq(texts(wrong), texts(Paths.get("/gone-here.yaml")))) assert(!text.contains("-here"), text)
  }

  test("yaml needs a path, and knows nothing else") {
    assert(owned(open(ServiceChoice.Yaml, "path" -> "/${env:WHERE}.yaml")).isInstanceOf[FileSnapshots])
    assertEquals(
      invalid(ServiceChoice.Yaml),
      "The metadata service can't be opened: `yaml` needs the option metadataService.path."
    )
    assert(invalid(
      ServiceChoice.Yaml,
      "path" -> "x",
      "Path" -> "y"
    ).contains("metadataService.Path is unknown to `yaml`"))
  }

  test("single-cluster needs an id and an address, which may be the query's") {
    assert(invalid(ServiceChoice.SingleCluster, "bootstrap.servers" -> "b:1").endsWith("metadataService.clusterId."))
    assert(invalid(ServiceChoice.SingleCluster, "clusterId" -> "c").endsWith("metadataService.bootstrap.servers."))
    val settings = ServiceSettings(ServiceChoice.SingleCluster, Map("clusterId" -> "c"))
    val service  = owned(MetadataServices.open(settings, Map("bootstrap.servers" -> "b:1"), placeholders))
    assertEquals((service.isClusterActive("c"), service.isClusterActive("d")), (true, false))
    service.close()
    failing(Condition.MetadataUnavailable)(service.getAllStreams)
  }

  test("load() refuses a single-cluster without an id or an address, which may be the query's") {
    def check(config: (String, String)*)(kafka: (String, String)*): Unit =
      MetadataServices.check(ServiceSettings(ServiceChoice.SingleCluster, config.toMap), kafka.toMap)
    val address = "bootstrap.servers" -> "b:1"
    check("clusterId" -> "c", address)()
    check("clusterId" -> "c")(address)
    assert(failing(Condition.InvalidOption)(check(address)()).detail.endsWith("metadataService.clusterId."))
    assert(failing(Condition.InvalidOption)(check("clusterId" -> "c")()).detail.endsWith("bootstrap.servers."))
  }

  test("single-cluster resolves placeholders at each call, and shows no value of a client that can't be opened") {
    val properties = JMap.of("bootstrap.servers", "b:1", "security.protocol", "s3cret")
    val service    = new SingleClusterMetadataService("c", properties)
    val failure    = failing(Condition.InvalidMetadata)(service.getAllStreams)
    assert(failure.detail.contains("security.protocol"), failure.detail)
    assert(!failure.detail.contains("s3cret") && failure.getCause == null)
    val unset = new SingleClusterMetadataService("c", JMap.of("bootstrap.servers", "${env:NO_SUCH_VARIABLE_HERE}"))
    assert(failing(Condition.InvalidMetadata)(unset.getAllStreams).detail.contains("${env:NO_SUCH_VARIABLE_HERE}"))
    failing(Condition.InvalidOption)(new SingleClusterMetadataService(JMap.of("bootstrap.servers", "b:1")))
  }

  test("single-cluster keeps the last value of a placeholder that can't be resolved any more") {
    var set     = Map("PROTOCOL" -> "none")
    val own     = Map("bootstrap.servers" -> "b:1", "security.protocol" -> "${env:PROTOCOL}")
    val service = SingleClusterMetadataService.open("c", own, Map.empty, new Placeholders(set.get(_), _ => ""))
    for (now <- Seq(set, Map.empty[String, String])) {
      set = now
      val failure = failing(Condition.InvalidMetadata)(service.getAllStreams)
      assert(failure.detail.contains("security.protocol") && !failure.detail.contains("${env"), failure.detail)
    }
  }

  test("what a query reads is chosen by ids, by a pattern, or by a subscriber of the user's") {
    val ids     = SortedSet(StreamId("a"))
    val pattern = Pattern.compile("a.*")
    val mine    = new Choosing
    val handle  = Registered.subscriber(mine).stripPrefix(Registered.Prefix)
    assertEquals(ChosenStreams.of(StreamSelection.Ids(ids)), ChosenStreams.Ids(ids): ChosenStreams)
    assertEquals(ChosenStreams.of(StreamSelection.Matching(pattern)), ChosenStreams.Matching(pattern): ChosenStreams)
    assertEquals(
      ChosenStreams.of(StreamSelection.RegisteredSubscriber(handle)),
      ChosenStreams.BySubscriber(mine): ChosenStreams
    )
    ChosenStreams.of(StreamSelection.SubscriberClass(classOf[Choosing].getName)) match {
      case ChosenStreams.BySubscriber(subscriber) => assert(subscriber.isInstanceOf[Choosing])
      case other                                  => fail(s"no subscriber: $other")
    }
    val failure =
      failing(Condition.InvalidOption)(ChosenStreams.of(StreamSelection.SubscriberClass("java.lang.String")))
    assert(failure.detail.startsWith("Option streamSubscriber names the class java.lang.String"), failure.detail)
  }
}

object MetadataServicesSuite {
  abstract class Empty extends KafkaMetadataService {
    override def getAllStreams: java.util.Set[KafkaStream]                                     = java.util.Set.of()
    override def describeStreams(ids: java.util.Collection[String]): JMap[String, KafkaStream] = JMap.of()
    override def isClusterActive(id: String): Boolean                                          = true
    override def close(): Unit                                                                 = ()
  }

  class Plain                                        extends Empty
  class Configured(val config: JMap[String, String]) extends Empty { def this() = this(JMap.of())                  }
  class WithNumber(val number: Int)                  extends Empty
  abstract class Unfinished                          extends Empty
  class Broken                                       extends Empty { throw new IllegalStateException("no network") }
  class Choosing extends KafkaStreamSubscriber {
    override def getSubscribedStreams(service: KafkaMetadataService): java.util.Set[String] = java.util.Set.of()
  }

  /** Defines one class itself and leaves all others to the loader of the tests, like a loader of added jars. */
  private class OnlyOne(name: String) extends URLClassLoader(Array.empty[URL], classOf[Plain].getClassLoader) {
    override def loadClass(wanted: String): Class[_] =
      if (wanted != name) super.loadClass(wanted)
      else
        Option(findLoadedClass(wanted)).getOrElse {
          val bytes = getResourceAsStream(name.replace('.', '/') + ".class").readAllBytes()
          defineClass(name, bytes, 0, bytes.length)
        }
  }
}

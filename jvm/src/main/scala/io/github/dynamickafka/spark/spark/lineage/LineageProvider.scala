package io.github.dynamickafka.spark.spark.lineage

import scala.collection.mutable
import scala.util.Try

import io.openlineage.spark.extension.OpenLineageExtensionProvider

/** Makes [[LineageVisitor]] known to OpenLineage's listener, if the application has one. The listener finds this class by a
  * file in `META-INF/services`, and makes the visitor by its name. Without the listener nobody loads this class.
  */
final class LineageProvider extends OpenLineageExtensionProvider {

  // The listener asks for it only to make up the visitor's name.
  override def shadedPackage(): String = classOf[LineageVisitor].getPackageName

  override def getVisitorClassName: String =
    LineageProvider.visitor(classOf[OpenLineageExtensionProvider].getClassLoader)
}

private object LineageProvider {

  /** The name of the visitor's class. The listener looks for it with its own class loader. A listener in Spark's own folder
    * does not see a jar that was added later: it would fail, with all the lineage of the application. It gets an empty
    * map, which is a visitor that is defined nowhere.
    */
  def visitor(listeners: ClassLoader): String = {
    val name = classOf[LineageVisitor].getName
    if (Try(Class.forName(name, false, listeners)).isSuccess) name else classOf[mutable.HashMap[_, _]].getName
  }
}

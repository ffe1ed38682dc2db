"""What protoc makes of a file `orders.proto` with one message, without protoc."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_file = descriptor_pb2.FileDescriptorProto(name="orders.proto", package="shop", syntax="proto3")
_order = _file.message_type.add(name="Order")
_order.field.add(name="order_id", number=1, type=_FIELD.TYPE_STRING, label=_FIELD.LABEL_OPTIONAL)
_order.field.add(name="amount", number=2, type=_FIELD.TYPE_INT64, label=_FIELD.LABEL_OPTIONAL)
_pool = descriptor_pool.DescriptorPool()
_pool.Add(_file)

Order = message_factory.GetMessageClass(_pool.FindMessageTypeByName("shop.Order"))

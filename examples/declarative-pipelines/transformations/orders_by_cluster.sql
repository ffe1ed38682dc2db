CREATE MATERIALIZED VIEW orders_by_cluster AS
SELECT cluster, count(*) AS orders, max(timestamp) AS newest FROM orders GROUP BY cluster;

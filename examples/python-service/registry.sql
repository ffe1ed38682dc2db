-- Which topics of which clusters carry a stream: the tables that a company has already.
CREATE TABLE clusters (
    id TEXT PRIMARY KEY,
    bootstrap_servers TEXT NOT NULL,
    active BOOLEAN NOT NULL DEFAULT TRUE
);
CREATE TABLE topics (
    stream TEXT NOT NULL,
    cluster TEXT NOT NULL REFERENCES clusters (id),
    topic TEXT NOT NULL
);

INSERT INTO clusters (id, bootstrap_servers) VALUES ('eu-1', 'kafka-1.example.com:9092');
INSERT INTO topics (stream, cluster, topic) VALUES ('orders', 'eu-1', 'orders');

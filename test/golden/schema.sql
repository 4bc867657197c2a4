-- 0001-environments c0cd67e6de36faaad8e745e34f5008242447266972017f91fa7490ee45a33990
-- 0002-connections 38b03093d43a086ee23ee561a376240c918edbfea4c9d8d9dba79fb1d584c130
-- 0003-functions d3f883e1085d993ba89f788d44b58380bf4f02bfd957c91f92336f5c05a1faf9
-- 0004-jobs-and-syncs f1ab9d1ea883a8e01d1e7b82120c7fed797ee8804c6af33fd7cdf56982a301e4
-- 0005-records 0e87655a7cdc58393d63cb7f71531e157cf2f8f7fa3760c51422d3310a73c2b1
-- 0006-logs 2e51663ba59c6dda42af138f0d6d27eb38787f2ee9254fe00e9d3544870ace53
-- 0007-catalog-approvals 045e74109a33d07d978dbad5347745fef0eb7fa763762cc976e0d3fd8c4f83a8
-- 0008-action-calls 47f89a7145480269b21893c0be12736f04ad6a3622ee44254cbecad367086664
-- 0009-connect-sessions a9586cb6b3d51bd611d5bf2751989ba586f984b216a4564feaf74a1d2fa451e4
-- 0010-webhook-deliveries fb5f2ecf548ec314a76fa48d7f0d48bfb03b1dff7b69ce54e7f55e1cca0c4227
-- 0011-oauth-states 03aaaf1e901aa9b4dbd28496f5117724086377cfafc564c332d76d23460286ce
-- 0012-mcp-decisions 9ecb2c9b3a90e03bc08da94dd8292ea181096186caf733823bf09d2d5d6c76de
-- 0013-function-origins 337c5c99aec983ac60f6547822123d69322b988ee7c27d08ed15fa451eae10b7
-- 0014-job-lanes 6a203eff62cfbff8f6204247ffe3a465572248f143509297c71c102ca5ed7525
-- 0015-incoming-webhooks 2b0f284af543198b4ecd9588fd6d5172f58407f147310b7e28be6c449935716c
-- 0016-webhook-history fca2093b258cf488d5f67513e79391e791eceb0f1434fb11abaa9d0e6330889a
-- 0017-record-history c1d4c97c751540e7100c4909b380fcf87149f8908d46db7b2e1aa5143e1c577a
-- 0018-job-groups 6dd8161cb4badae8effdf1e8c5f946f38cfb89e47072afa46f3855a032c7e6f0
-- 0019-missing-functions c2f88c1b32adf24d208cdef224e68e8bfe043b2f53ad3ce9b2f2bd7366028f7e
-- 0020-data-care 18b8a1169497bc55a03c7f8f96f10d83f3b1a61c383070b5ad0800bfb6afe886
-- 0021-dashboard-sessions 8e9a0a67c119fa7194e57e3f07a62207a60a1b8ca4900929cccc82b5ce8e7628
-- 0022-connection-use c8c10b87861cb30da3fa204132becd1f76a5a0627bee1f9fc2585868eadf3643
-- 0023-approved-entries 58b797bafa9bf4d17f949b6fab55dd41c5302e7ac9556a7bd1e028ac71bfbdbd
-- 0024-connection-values 764cfe7c23d6b4e8861bd1a6284fe3eaae8a480072f96e48b7d0babba8b024d4
-- 0025-deleted-environments fb8ed4d064aeca80d520534f755d48cff45e22245ce9b2f0cb2571568397bf63
-- 0029-action-calls-by-environment 25ff08b5c152fbf662e0159f7c1ff7b1339c94355132ffe5ad777c87e38f1587
-- 0030-key-use-and-audit 3ec060df10f256485d0550547f75a45f458dfb39d748efb1f524e2dcff969b54
-- 0031-notifications 84378d1c05f76c57bf97444d8fe9f8a9385616a57320cc3da5116c3b6ffd8585
-- 0032-plain-variables a4344376d971a9ca7277583fc57adb2f7cf1acba2b077a1086d2eb2eb8a2f1a5
-- 0033-log-triggers bb5ade7b862adfa6ad43a509ccb46cde8cabb83859304a8ce3396700e61db3d9
-- 0034-tool-calls 0cf57e3f928c469b7b6991fd7384f1218f0bd50f9ae26d5e2820312c02929a67
-- 0035-function-versions dd00cf2de41eacb9961636f4e461115d8ab5420d1567d8d5837d3db5cc3b22f7
-- 0036-integration-changes ff8077a14bf8609e6ab33370bd8c58005757e2a27a9552155a884f93eb33c6d9
-- 0037-key-limits 3e34ef907f9e17f18406cea2cc1378378cad1842f375820824e560bab624a20b
-- 0038-webhook-destinations 0e40a65f70742c0a6152dbcfaade92fd18859a95f9f409e36d44258db586cd76
-- 0039-vault-auto-lock f9542b2c350cc5929356a0258dc3ce6c59bc0f83240c3c27d9c1ee44d8be99d7
-- 0040-operation-counts ffe8d380a39d95bf39ccbaa6142919b3f46a670d138d27017aa76b27d62b5fb7
-- 0041-playground-inputs 853b16fb43e21d0718690b8e2cf1a9892854a108b1f74de1a84858026d2a2ce4
-- 0042-proxy-counts 88ba7f26c7b863bb3fb1db4fa7e5bff22e885028dbf3a21da4ea25ddef0829c4
-- 0044-run-counts aed51442c554614756a3122ebca77fd6ba590c9f73589c0f69b9d32a5903c90e
-- 0045-activity-counts f876a3fcc9e5c32dbec21fba94a2f8e8405716a87ef1fe8c982195fbb8c64ecb
-- 0046-otlp-headers 6ce1d4e68dfafba38b5a4e7b1f64bf8b0c26ecd7d9a82428c48209b49ca1f52a
-- 0047-webhook-facts cde06577fa213bc738ede4208dd1392070773c8af759982b59549f1d01f93041
-- 0048-traffic-recordings 7966d8f2fcebbdbc0216e9f1c1417256469760f438a52c87909cddb7dc56e822
-- 0049-connection-uses 89e87905c5b29b6340f0733467033721f8cb8d8e7d537067894b510e07b9a27b
-- 0050-truth-of-status bcb6a872275b2180de3ffe3a185e1b698dd0e0ac339eab7b6c80e7eed48d0176
-- 0051-mcp-rules 293f5dd5e3beca91dc2916658115564eedf9f6f30cd6c6b8510e100b5f006fa1
-- 0052-erasures 83e7e8e1816d607407e042bb636af73eb81b06ab714f2a9b9e2b82f745c8f97e
-- 0053-signing-keys 1c2f0751f591167ac8f10862d94fb1887c6817fe0ded54cb2dda720fb21495d2
-- 0054-held-deletions 0adcf9c43c3bd49909ffb2531d494175846c8556b4d7bc89461f3b2454838c2e
-- 0055-playground-runs 5df71695947c299a6e15e20dec186a87da53cfa5ec831c73877621edb436f6f7
CREATE TRIGGER action_calls_of_deleted BEFORE INSERT ON action_calls WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER connection_values_insert AFTER INSERT ON connections BEGIN INSERT INTO connection_values (integration_id, source, key, value, connection_row_id) SELECT new.integration_id, 'config', field.key, iif(field.type = 'text', substr(field.value, 1, 200), field.value), new.id FROM json_each(new.connection_config) AS field WHERE field.type IN ('text', 'integer', 'real', 'true', 'false') AND new.deleted_at IS NULL UNION SELECT new.integration_id, 'metadata', field.key, iif(field.type = 'text', substr(field.value, 1, 200), field.value), new.id FROM json_each(new.metadata) AS field WHERE field.type IN ('text', 'integer', 'real', 'true', 'false') AND new.deleted_at IS NULL UNION SELECT new.integration_id, 'metadata', field.key, iif(item.type = 'text', substr(item.value, 1, 200), item.value), new.id FROM json_each(new.metadata) AS field, json_each(iif(field.type = 'array', field.value, '[]')) AS item WHERE item.type IN ('text', 'integer', 'real', 'true', 'false') AND new.deleted_at IS NULL; END;
CREATE TRIGGER connection_values_update AFTER UPDATE OF connection_config, metadata, deleted_at ON connections WHEN new.connection_config IS NOT old.connection_config OR new.metadata IS NOT old.metadata OR new.deleted_at IS NOT old.deleted_at BEGIN DELETE FROM connection_values WHERE connection_row_id = new.id; INSERT INTO connection_values (integration_id, source, key, value, connection_row_id) SELECT new.integration_id, 'config', field.key, iif(field.type = 'text', substr(field.value, 1, 200), field.value), new.id FROM json_each(new.connection_config) AS field WHERE field.type IN ('text', 'integer', 'real', 'true', 'false') AND new.deleted_at IS NULL UNION SELECT new.integration_id, 'metadata', field.key, iif(field.type = 'text', substr(field.value, 1, 200), field.value), new.id FROM json_each(new.metadata) AS field WHERE field.type IN ('text', 'integer', 'real', 'true', 'false') AND new.deleted_at IS NULL UNION SELECT new.integration_id, 'metadata', field.key, iif(item.type = 'text', substr(item.value, 1, 200), item.value), new.id FROM json_each(new.metadata) AS field, json_each(iif(field.type = 'array', field.value, '[]')) AS item WHERE item.type IN ('text', 'integer', 'real', 'true', 'false') AND new.deleted_at IS NULL; END;
CREATE TRIGGER connections_of_deleted BEFORE INSERT ON connections WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER deleted_environments_reused AFTER INSERT ON environments BEGIN DELETE FROM deleted_environments WHERE id = new.id; END;
CREATE TRIGGER locks_of_deleted BEFORE INSERT ON locks WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER log_operations_of_deleted BEFORE INSERT ON log_operations WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER log_sizes_of_deleted BEFORE INSERT ON log_sizes WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id) BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER playground_runs_of_deleted AFTER UPDATE OF deleted_at ON connections WHEN NEW.deleted_at IS NOT NULL BEGIN DELETE FROM playground_runs WHERE connection_id = NEW.id; END;
CREATE TRIGGER traffic_recordings_delete AFTER DELETE ON traffic_recordings BEGIN UPDATE traffic_recording_state SET used_bytes = used_bytes - OLD.size_bytes; END;
CREATE TRIGGER traffic_recordings_insert AFTER INSERT ON traffic_recordings BEGIN UPDATE traffic_recording_state SET used_bytes = used_bytes + NEW.size_bytes; END;
CREATE TABLE action_calls ( id TEXT PRIMARY KEY, environment_id INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT, created_at INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys ( id INTEGER PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, display_name TEXT NOT NULL, scopes TEXT NOT NULL, lookup_hash TEXT NOT NULL UNIQUE, secret TEXT NOT NULL, created_at INTEGER NOT NULL, last_used_at INTEGER, first_used_at INTEGER, first_credentials_at INTEGER, allowed TEXT, icon TEXT, colour TEXT, UNIQUE (environment_id, display_name) ) STRICT;
CREATE TABLE approved_entries ( provider TEXT PRIMARY KEY, definition TEXT NOT NULL, source TEXT NOT NULL, replaces_builtin INTEGER NOT NULL, written_hash TEXT NOT NULL, approved_at INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE audit_entries ( seq INTEGER PRIMARY KEY, environment_id INTEGER REFERENCES environments (id) ON DELETE CASCADE, at INTEGER NOT NULL, action TEXT NOT NULL, result TEXT NOT NULL, key_id INTEGER, app TEXT, integration_key TEXT, connection_id TEXT, subject TEXT, count INTEGER NOT NULL, bucket TEXT UNIQUE ) STRICT;
CREATE TABLE call_counts ( environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, hour INTEGER NOT NULL, integration_key TEXT NOT NULL, calls INTEGER NOT NULL, failed INTEGER NOT NULL, PRIMARY KEY (environment_id, hour, integration_key) ) STRICT, WITHOUT ROWID;
CREATE TABLE catalog_approvals ( hash TEXT PRIMARY KEY, provider TEXT NOT NULL, approved_at INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints ( connection_row_id INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER, PRIMARY KEY (connection_row_id, key) ) WITHOUT ROWID;
CREATE TABLE connect_sessions ( lookup_hash TEXT PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, operation_id TEXT NOT NULL, content TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE connection_errors ( connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE, type TEXT NOT NULL, source TEXT NOT NULL, log_id TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (connection_row_id, type, source) ) STRICT, WITHOUT ROWID;
CREATE TABLE connection_uses ( connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE, key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE, last_at INTEGER NOT NULL, PRIMARY KEY (connection_row_id, key_id) ) STRICT, WITHOUT ROWID;
CREATE TABLE connection_values ( integration_id INTEGER NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL, value ANY NOT NULL, connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE, PRIMARY KEY (integration_id, source, key, value, connection_row_id) ) STRICT, WITHOUT ROWID;
CREATE TABLE connections ( id INTEGER PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE, connection_id TEXT NOT NULL, credentials TEXT NOT NULL, credentials_type TEXT, credentials_expire_at INTEGER, connection_config TEXT NOT NULL, sealed_config TEXT, metadata TEXT, tags TEXT NOT NULL, end_user TEXT, webhook_url_override TEXT, last_fetched_at INTEGER, last_refresh_success_at INTEGER, last_refresh_failure_at INTEGER, refresh_attempts INTEGER NOT NULL, is_refresh_exhausted INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER , last_used_at INTEGER, log_level TEXT, credentials_end_at INTEGER) STRICT;
CREATE TABLE deleted_environments ( id INTEGER PRIMARY KEY, last_connection_id INTEGER NOT NULL, last_integration_id INTEGER NOT NULL, deleted_at INTEGER NOT NULL ) STRICT;
CREATE TABLE environment_variables ( environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, name TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL, is_plain INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (environment_id, name) ) STRICT, WITHOUT ROWID;
CREATE TABLE environments ( id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, settings TEXT NOT NULL, webhook_signing_key TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL , otlp_headers TEXT NOT NULL DEFAULT '', previous_signing_key TEXT NOT NULL DEFAULT '', signing_key_rotated_at INTEGER) STRICT;
CREATE TABLE erasures ( id TEXT PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, integration_key TEXT NOT NULL, connection_row_id INTEGER NOT NULL, connection_id TEXT NOT NULL, end_user TEXT, tags TEXT NOT NULL, deleted_at INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE function_code ( function_id INTEGER PRIMARY KEY REFERENCES functions (id) ON DELETE CASCADE, source TEXT NOT NULL, bundle TEXT NOT NULL ) STRICT;
CREATE TABLE function_versions ( id INTEGER PRIMARY KEY, function_id INTEGER NOT NULL REFERENCES functions (id) ON DELETE CASCADE, version TEXT NOT NULL, origin TEXT NOT NULL, live_at INTEGER NOT NULL, characters INTEGER NOT NULL, source TEXT NOT NULL ) STRICT;
CREATE TABLE functions ( id INTEGER PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, integration_key TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, version TEXT, definition TEXT, bundle_hash TEXT, inputs TEXT NOT NULL, problems TEXT, is_enabled INTEGER NOT NULL, deployed_at INTEGER, created_at INTEGER NOT NULL, origin TEXT NOT NULL DEFAULT 'workspace' CHECK (origin IN ('workspace', 'repo', 'standalone')), missing_since INTEGER, UNIQUE (environment_id, integration_key, type, name) ) STRICT;
CREATE TABLE held_deletions ( id INTEGER PRIMARY KEY, deletion_id TEXT NOT NULL, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, kind TEXT NOT NULL, object_id TEXT NOT NULL, names TEXT NOT NULL, due_at INTEGER NOT NULL, is_begun INTEGER NOT NULL DEFAULT 0 ) STRICT;
CREATE TABLE incoming_webhooks ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, integration_key TEXT NOT NULL, provider TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, request TEXT NOT NULL, body TEXT, size_bytes INTEGER NOT NULL, outcome TEXT NOT NULL, status INTEGER NOT NULL, message TEXT, event_types TEXT NOT NULL, connection_ids TEXT NOT NULL, forwards INTEGER NOT NULL, operation_id TEXT, replay_of TEXT, duration_ms INTEGER NOT NULL, received_at INTEGER NOT NULL , signature TEXT) STRICT;
CREATE TABLE integration_changes ( id INTEGER PRIMARY KEY, integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE, at INTEGER NOT NULL, undoes INTEGER, sealed TEXT NOT NULL ) STRICT;
CREATE TABLE integrations ( id INTEGER PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, unique_key TEXT NOT NULL, provider TEXT NOT NULL, display_name TEXT, credentials TEXT, custom TEXT, forward_webhooks INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER ) STRICT;
CREATE TABLE job_reports ( job_id INTEGER PRIMARY KEY, kind TEXT NOT NULL, group_key TEXT NOT NULL, payload TEXT NOT NULL, schedule_id TEXT, attempt INTEGER NOT NULL, max_attempts INTEGER NOT NULL, created_at INTEGER NOT NULL, reason TEXT NOT NULL CHECK (reason IN ('expired', 'interrupted', 'failed')) ) STRICT;
CREATE TABLE jobs ( id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, group_key TEXT NOT NULL, payload TEXT NOT NULL, schedule_id TEXT, state TEXT NOT NULL CHECK (state IN ('created', 'started', 'cancelled')), attempt INTEGER NOT NULL, max_attempts INTEGER NOT NULL, run_at INTEGER NOT NULL, start_before INTEGER, created_at INTEGER NOT NULL, started_at INTEGER , lane TEXT NOT NULL DEFAULT '', interruptions INTEGER NOT NULL DEFAULT 0);
CREATE TABLE key_processes ( key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE, path TEXT NOT NULL, name TEXT NOT NULL, first_seen_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL, PRIMARY KEY (key_id, path) ) STRICT, WITHOUT ROWID;
CREATE TABLE key_use_hours ( key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE, hour INTEGER NOT NULL, calls INTEGER NOT NULL, credential_reads INTEGER NOT NULL, PRIMARY KEY (key_id, hour) ) STRICT, WITHOUT ROWID;
CREATE TABLE locks ( environment_id INTEGER NOT NULL, key TEXT NOT NULL, owner TEXT NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (environment_id, key) ) WITHOUT ROWID;
CREATE TABLE log_messages ( id INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, level TEXT NOT NULL, type TEXT NOT NULL, source TEXT NOT NULL, context TEXT, duration_ms INTEGER, message TEXT NOT NULL, details TEXT ) STRICT;
CREATE VIRTUAL TABLE log_messages_search USING fts5 ( text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2' );
CREATE TABLE 'log_messages_search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'log_messages_search_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'log_messages_search_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'log_messages_search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE log_operations ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment_id INTEGER NOT NULL, type TEXT NOT NULL, action TEXT NOT NULL, state TEXT NOT NULL, message TEXT, integration_key TEXT, provider_name TEXT, connection_id TEXT, end_user_id TEXT, end_user_name TEXT, function_name TEXT, job_id TEXT, triggered_by TEXT, actor TEXT, http_calls INTEGER NOT NULL, records_changed INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, expires_at INTEGER, duration_ms INTEGER, error TEXT, details TEXT , cpu_ms REAL, memory_bytes INTEGER, variant TEXT, records_added INTEGER, records_updated INTEGER, records_deleted INTEGER) STRICT;
CREATE VIRTUAL TABLE log_operations_search USING fts5 ( text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2' );
CREATE TABLE 'log_operations_search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'log_operations_search_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'log_operations_search_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
CREATE TABLE 'log_operations_search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE log_sizes ( environment_id INTEGER NOT NULL, slot INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (environment_id, slot) ) STRICT, WITHOUT ROWID;
CREATE TABLE mcp_decisions ( api_key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE, connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE, tool TEXT NOT NULL, policy TEXT NOT NULL CHECK (policy IN ('allow', 'ask', 'deny')), decided_at INTEGER NOT NULL, fingerprint TEXT NOT NULL DEFAULT '', PRIMARY KEY (api_key_id, connection_row_id, tool) ) STRICT, WITHOUT ROWID;
CREATE TABLE mcp_rules ( id INTEGER PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, api_key_id INTEGER REFERENCES api_keys (id) ON DELETE CASCADE, integration_key TEXT, connection_id TEXT, tool TEXT NOT NULL, policy TEXT NOT NULL CHECK (policy IN ('allow', 'ask', 'deny')), fingerprints TEXT NOT NULL, decided_at INTEGER NOT NULL ) STRICT;
CREATE TABLE migrations ( id TEXT PRIMARY KEY, hash TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at INTEGER NOT NULL ) STRICT;
CREATE TABLE notification_rules ( environment_id INTEGER PRIMARY KEY REFERENCES environments (id) ON DELETE CASCADE, rules TEXT NOT NULL ) STRICT;
CREATE TABLE notifications ( id INTEGER PRIMARY KEY, environment_id INTEGER NOT NULL, kind TEXT NOT NULL, cause TEXT NOT NULL, title TEXT NOT NULL, text TEXT, link TEXT NOT NULL, action TEXT NOT NULL, count INTEGER NOT NULL, at INTEGER NOT NULL, read_at INTEGER, over_at INTEGER, told_size INTEGER NOT NULL DEFAULT 1, UNIQUE (environment_id, cause) ) STRICT;
CREATE TABLE oauth_states ( id TEXT PRIMARY KEY, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, content TEXT NOT NULL, created_at INTEGER NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE playground_inputs ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE, kind TEXT NOT NULL, function_name TEXT NOT NULL, name TEXT NOT NULL, request TEXT NOT NULL, saved_at INTEGER NOT NULL, UNIQUE (integration_id, kind, function_name, name) ) STRICT;
CREATE TABLE playground_runs ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, connection_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE, run TEXT NOT NULL, ended_at INTEGER NOT NULL ) STRICT;
CREATE TABLE proxy_counts ( environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, slot_ms INTEGER NOT NULL, slot INTEGER NOT NULL, integration_key TEXT NOT NULL, status_class INTEGER NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (environment_id, slot_ms, slot, integration_key, status_class) ) STRICT, WITHOUT ROWID;
CREATE TABLE record_clock ( only INTEGER PRIMARY KEY CHECK (only = 1), last_stamp INTEGER NOT NULL, last_payload_id INTEGER NOT NULL );
CREATE TABLE record_counts ( environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, slot_ms INTEGER NOT NULL, slot INTEGER NOT NULL, added INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER NOT NULL, PRIMARY KEY (environment_id, slot_ms, slot) ) STRICT, WITHOUT ROWID;
CREATE TABLE record_histories ( integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE, model TEXT NOT NULL, most_versions INTEGER NOT NULL CHECK (most_versions > 0), most_days INTEGER NOT NULL CHECK (most_days > 0), PRIMARY KEY (integration_id, model) ) STRICT, WITHOUT ROWID;
CREATE TABLE record_payloads (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
CREATE TABLE record_streams ( id INTEGER PRIMARY KEY AUTOINCREMENT, connection_row_id INTEGER NOT NULL, model TEXT NOT NULL, variant TEXT NOT NULL, live_count INTEGER NOT NULL DEFAULT 0, pruned_until INTEGER NOT NULL DEFAULT 0, retired INTEGER NOT NULL DEFAULT 0 , history_since INTEGER NOT NULL DEFAULT 0);
CREATE TABLE record_versions ( stream_id INTEGER NOT NULL, external_id TEXT NOT NULL, stamp INTEGER NOT NULL, created_at INTEGER NOT NULL, is_deleted INTEGER NOT NULL, payload_id INTEGER NOT NULL, job_id INTEGER, operation_id TEXT, is_cut INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (stream_id, external_id, stamp) ) STRICT, WITHOUT ROWID;
CREATE TABLE records ( stream_id INTEGER NOT NULL, external_id TEXT NOT NULL, hash TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, deleted_at INTEGER, pruned_at INTEGER, seen_job_id INTEGER NOT NULL, payload_id INTEGER NOT NULL, PRIMARY KEY (stream_id, external_id) ) WITHOUT ROWID;
CREATE TABLE run_counts ( environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, slot_ms INTEGER NOT NULL, slot INTEGER NOT NULL, integration_key TEXT NOT NULL, type TEXT NOT NULL, function_name TEXT NOT NULL, has_failed INTEGER NOT NULL, duration_ms INTEGER NOT NULL, runs INTEGER NOT NULL, PRIMARY KEY (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms) ) STRICT, WITHOUT ROWID;
CREATE TABLE schedules ( id TEXT PRIMARY KEY, kind TEXT NOT NULL, group_key TEXT NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('started', 'paused')), starts_at INTEGER NOT NULL, frequency_ms INTEGER NOT NULL CHECK (frequency_ms > 0), next_execution_at INTEGER NOT NULL, live_job_id INTEGER , lane TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE size_samples ( slot INTEGER PRIMARY KEY CHECK (slot % 900000 = 0), bytes INTEGER NOT NULL ) STRICT;
CREATE TABLE sync_jobs ( id INTEGER PRIMARY KEY AUTOINCREMENT, sync_row_id INTEGER NOT NULL, type TEXT NOT NULL CHECK (type IN ('FULL', 'INCREMENTAL')), status TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCESS', 'STOPPED')), result TEXT NOT NULL, log_id TEXT NOT NULL, error TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL );
CREATE TABLE syncs ( row_id INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment_id INTEGER NOT NULL, integration_id INTEGER NOT NULL, connection_row_id INTEGER NOT NULL, connection_id TEXT NOT NULL, name TEXT NOT NULL, variant TEXT NOT NULL, frequency TEXT, last_sync_date INTEGER, latest_job_id INTEGER, created_at INTEGER NOT NULL, deleted_at INTEGER, was_started INTEGER, UNIQUE (connection_row_id, name, variant) );
CREATE TABLE traffic_recording_state ( id INTEGER PRIMARY KEY CHECK (id = 1), is_on INTEGER NOT NULL, most_bytes INTEGER NOT NULL, used_bytes INTEGER NOT NULL ) STRICT;
CREATE TABLE traffic_recordings ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, operation_seq INTEGER NOT NULL REFERENCES log_operations (seq) ON DELETE CASCADE, size_bytes INTEGER NOT NULL, facts TEXT NOT NULL, request BLOB, answer BLOB ) STRICT;
CREATE TABLE ui_sessions ( lookup_hash TEXT PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL , csrf_hash TEXT NOT NULL DEFAULT '', browser TEXT NOT NULL DEFAULT '', last_used_at INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE vault ( id INTEGER PRIMARY KEY CHECK (id = 1), wrapped_key TEXT NOT NULL, key_source TEXT NOT NULL, created_at INTEGER NOT NULL , auto_lock_minutes INTEGER) STRICT;
CREATE TABLE webhook_attempts ( delivery_seq INTEGER NOT NULL REFERENCES webhook_deliveries (seq) ON DELETE CASCADE, destination INTEGER NOT NULL, attempt INTEGER NOT NULL, started_at INTEGER NOT NULL, duration_ms INTEGER NOT NULL, code INTEGER, error TEXT, answer TEXT NOT NULL, PRIMARY KEY (delivery_seq, destination, attempt) ) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_deliveries ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, state TEXT NOT NULL, type TEXT NOT NULL, cause TEXT NOT NULL, origin_id TEXT, integration_key TEXT, connection_id TEXT, message TEXT NOT NULL, operation_id TEXT, destination INTEGER NOT NULL, attempt INTEGER NOT NULL, failures INTEGER NOT NULL, last_code INTEGER, last_error TEXT, last_duration_ms INTEGER, created_at INTEGER NOT NULL, next_attempt_at INTEGER, finished_at INTEGER, destinations TEXT NOT NULL, content TEXT NOT NULL , webhook_destination_id TEXT, incoming_id TEXT) STRICT;
CREATE TABLE webhook_destinations ( seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, name TEXT, url TEXT NOT NULL, is_enabled INTEGER NOT NULL, types TEXT NOT NULL, integrations TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL ) STRICT;
CREATE TABLE webhook_runs ( id TEXT PRIMARY KEY, webhook_id TEXT NOT NULL REFERENCES incoming_webhooks (id) ON DELETE CASCADE, environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE, function_name TEXT NOT NULL, connection_id TEXT NOT NULL, content TEXT, state TEXT NOT NULL, operation_id TEXT, created_at INTEGER NOT NULL, ended_at INTEGER ) STRICT, WITHOUT ROWID;
CREATE INDEX action_calls_by_age ON action_calls (created_at);
CREATE INDEX action_calls_by_environment ON action_calls (environment_id);
CREATE INDEX audit_entries_list ON audit_entries (environment_id, at);
CREATE INDEX audit_entries_old ON audit_entries (at);
CREATE INDEX connect_sessions_by_age ON connect_sessions (created_at);
CREATE INDEX connection_uses_key ON connection_uses (key_id);
CREATE INDEX connection_values_row ON connection_values (connection_row_id);
CREATE INDEX connections_deleted ON connections (environment_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX connections_list ON connections (environment_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX connections_live_id ON connections (integration_id, connection_id) WHERE deleted_at IS NULL;
CREATE INDEX erasures_environment ON erasures (environment_id, deleted_at);
CREATE INDEX function_versions_function ON function_versions (function_id, id);
CREATE INDEX held_deletions_by_deletion ON held_deletions (deletion_id);
CREATE UNIQUE INDEX held_deletions_by_object ON held_deletions (kind, object_id);
CREATE INDEX incoming_webhooks_bodies ON incoming_webhooks (seq) WHERE body IS NOT NULL;
CREATE INDEX incoming_webhooks_list ON incoming_webhooks (environment_id, received_at DESC, seq DESC);
CREATE INDEX integration_changes_at ON integration_changes (at);
CREATE INDEX integration_changes_integration ON integration_changes (integration_id, id);
CREATE UNIQUE INDEX integrations_live_key ON integrations (environment_id, unique_key) WHERE deleted_at IS NULL;
CREATE INDEX jobs_due ON jobs (kind, run_at, id) WHERE state = 'created';
CREATE INDEX jobs_due_by_group ON jobs (kind, group_key, run_at, id) WHERE state = 'created';
CREATE INDEX jobs_due_by_lane ON jobs (kind, lane, run_at, id) WHERE state = 'created';
CREATE INDEX jobs_expiring ON jobs (start_before) WHERE state = 'created' AND start_before IS NOT NULL;
CREATE UNIQUE INDEX jobs_one_live_per_schedule ON jobs (schedule_id) WHERE schedule_id IS NOT NULL AND state IN ('created', 'started');
CREATE INDEX jobs_taken ON jobs (state) WHERE state <> 'created';
CREATE INDEX locks_by_owner ON locks (owner);
CREATE INDEX log_operations_list ON log_operations ( environment_id, created_at, state, type, action, integration_key, connection_id, function_name, duration_ms, triggered_by );
CREATE INDEX log_operations_tool_calls ON log_operations (environment_id, created_at) WHERE triggered_by = 'mcp';
CREATE INDEX log_operations_unfinished ON log_operations (created_at) WHERE state IN ('waiting', 'running');
CREATE INDEX mcp_decisions_by_connection ON mcp_decisions (connection_row_id);
CREATE INDEX mcp_rules_by_tool ON mcp_rules (environment_id, tool);
CREATE INDEX notifications_list ON notifications (environment_id, at);
CREATE INDEX oauth_states_by_age ON oauth_states (created_at);
CREATE INDEX playground_runs_of_connection ON playground_runs (connection_id);
CREATE INDEX playground_runs_of_environment ON playground_runs (environment_id, seq);
CREATE UNIQUE INDEX record_streams_current ON record_streams (connection_row_id, model, variant) WHERE retired = 0;
CREATE INDEX record_streams_history ON record_streams (history_since) WHERE history_since <> 0;
CREATE INDEX record_streams_retired ON record_streams (id) WHERE retired = 1;
CREATE INDEX records_by_change ON records (stream_id, updated_at);
CREATE INDEX schedules_due ON schedules (kind, next_execution_at) WHERE state = 'started' AND live_job_id IS NULL;
CREATE INDEX schedules_due_by_lane ON schedules (kind, lane, next_execution_at) WHERE state = 'started' AND live_job_id IS NULL;
CREATE INDEX sync_jobs_by_sync ON sync_jobs (sync_row_id, id);
CREATE INDEX sync_jobs_running ON sync_jobs (status) WHERE status = 'RUNNING';
CREATE INDEX syncs_by_integration ON syncs (integration_id, name, variant);
CREATE INDEX syncs_by_latest_job ON syncs (latest_job_id) WHERE latest_job_id IS NOT NULL;
CREATE INDEX traffic_recordings_of_operation ON traffic_recordings (operation_seq);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (environment_id, finished_at);
CREATE INDEX webhook_deliveries_incoming ON webhook_deliveries (incoming_id, state) WHERE incoming_id IS NOT NULL;
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (environment_id, seq, state, type, integration_key, connection_id, message, id);
CREATE INDEX webhook_deliveries_origin ON webhook_deliveries (origin_id) WHERE origin_id IS NOT NULL;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_destination_id) WHERE webhook_destination_id IS NOT NULL AND state = 'waiting';
CREATE INDEX webhook_destinations_environment ON webhook_destinations (environment_id, seq);
CREATE INDEX webhook_runs_by_environment ON webhook_runs (environment_id);
CREATE INDEX webhook_runs_by_webhook ON webhook_runs (webhook_id);

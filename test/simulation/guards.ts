import type { Mend } from './mend.ts';

/** Lines that keep a promise and never failed, taken out: the simulator has to see it. */
export const GUARDS: Readonly<Record<string, Mend>> = {
  'paused-syncs-do-not-run': {
    finding: 'the pause check: a paused sync runs only when it is triggered',
    steps: 'connect; a sync is paused; time passes 99; time passes 99',
    changes: [
      {
        file: 'server/platform/scheduler/jobs.store.ts',
        find: "FROM schedules s WHERE s.state = 'started' AND s.live_job_id",
        replace: 'FROM schedules s WHERE s.live_job_id',
      },
      {
        file: 'server/platform/scheduler/schedules.store.ts',
        find: 'waiting = "state = \'started\' AND live_job_id IS NULL"',
        replace: "waiting = 'live_job_id IS NULL'",
      },
      {
        file: 'server/platform/scheduler/schedules.store.ts',
        find: "WHERE state = 'started' AND live_job_id IS NULL AND kind = ?2",
        replace: 'WHERE live_job_id IS NULL AND kind = ?2',
      },
    ],
  },
  'a-refused-renewal-is-an-error': {
    finding: 'the token that is stored is handed out, although the provider refused to renew it',
    steps: 'connect; access is revoked',
    changes: [
      {
        file: 'server/connections/renewal.ts',
        find: 'type: failure.code } });\n      throw failure;',
        replace: 'type: failure.code } });',
      },
    ],
  },
  'a-refused-renewal-asks-for-a-sign-in': {
    finding: 'the connection of an account whose access was revoked looks well',
    steps: 'connect; access is revoked',
    changes: [
      {
        file: 'server/connections/renewal.ts',
        find: "      await connectionsStore.upsertError(tx, { id: row.id, type: 'auth', source: '', logId: operation.id, now });\n",
        replace: '',
      },
    ],
  },
  'a-new-sign-in-heals': {
    finding: 'after the new sign-in the connection asks for one still',
    steps: 'connect; access is revoked',
    changes: [
      {
        file: 'server/connections/connections.service.ts',
        find: "        await connectionsStore.removeErrors(tx, id, 'auth', '');\n        await heldDeletions",
        replace: '        await heldDeletions',
      },
    ],
  },
  'a-backup-holds-the-log': {
    finding: 'a backup holds only what was copied from the log into the database',
    steps: 'connect; set metadata 4; a backup is made; a backup is restored 1',
    changes: [
      {
        file: 'server/platform/database/database-file.ts',
        find: 'const db = await openHandle(file, sqlite3.OPEN_READONLY);',
        replace:
          'const db = await openHandle(`${pathToFileURL(file).href}?immutable=1`, sqlite3.OPEN_READONLY | sqlite3.OPEN_URI);',
      },
    ],
  },
  'no-old-key-in-the-log': {
    finding: 'the log of the database holds the data key still, sealed with the old master key',
    steps: 'connect; the master key is changed',
    changes: [
      {
        file: 'server/data/key-care.ts',
        find: '      await diskUse.emptyLog(database);\n',
        replace: '      void diskUse;\n',
      },
    ],
  },
  'backups-get-the-new-key': {
    finding: 'a new master key opens no backup that was made before',
    steps: 'connect; a backup is made; the master key is changed',
    changes: [
      {
        file: 'server/platform/vault/key-rotation.ts',
        find: 'if (dataKey) await copy.save(wrapDataKey(next, dataKey));\n    else closed',
        replace: 'if (!dataKey) closed',
      },
    ],
  },
  'both-keys-until-the-end': {
    finding: 'the old master key is gone before the database has the new one',
    steps: 'connect; the process is killed at a call 2; the master key is changed 0',
    changes: [
      {
        file: 'server/platform/vault/key-rotation.ts',
        find: '[...inFile, text]',
        replace: '[text]',
      },
    ],
  },
  'an-import-replaces-credentials': {
    finding: 'an import reports a connection as replaced, and it keeps the account that it had',
    steps: 'connect; an export is made; disconnect; connect; the export is imported',
    changes: [
      {
        file: 'server/data/transfer/write-hub.ts',
        find: "const problem = whyRefused(await hub.send('POST', '/connections', { body }));",
        replace: "const problem = exists ? undefined : whyRefused(await hub.send('POST', '/connections', { body }));",
      },
    ],
  },
  'a-broken-file-keeps-the-last-version': {
    finding: 'a function whose file does not compile answers no more',
    steps: 'connect; a function is broken; time passes 10',
    changes: [
      {
        file: 'server/functions/functions.store.ts',
        find: 'inputs = excluded.inputs, problems = excluded.problems`',
        replace: 'inputs = excluded.inputs, problems = excluded.problems, definition = NULL, bundle_hash = NULL`',
      },
    ],
  },
  'a-deleted-function-is-off': {
    finding: 'a function whose file was deleted runs on',
    steps: 'connect; a function is deleted 1; time passes 10',
    changes: [
      {
        file: 'server/functions/deployments/missing-files.ts',
        find: "    await change(live, 'missing', clock.now());\n",
        replace: '',
      },
    ],
  },
  'a-schedule-follows-its-function': {
    finding: 'a sync runs as often as its former version said',
    steps: 'a function is edited 1; time passes 10; connect',
    changes: [
      {
        file: 'server/syncs/sync-creation.ts',
        find: '    await scheduler.schedules.setFrequency(tx, withDefault, parsed.intervalMs);\n',
        replace: '    void withDefault;\n',
      },
    ],
  },
  'a-limited-key-reads-its-connections': {
    finding: 'a key that is limited to some connections reads others',
    steps: 'connect; connect 1; a limited key is made; a limited key is used 7',
    changes: [
      {
        file: 'server/platform/http/connection-limits.ts',
        find: 'if (!allowsConnection(possible, { integrationKey, connectionId, tags: tags ?? {} }))',
        replace:
          'if (Math.random() > 1 && !allowsConnection(possible, { integrationKey, connectionId, tags: tags ?? {} }))',
      },
    ],
  },
  'a-key-reads-no-credentials': {
    finding: 'a key without the scope for credentials reads them',
    steps: 'connect; a limited key is made 2; a limited key is used',
    changes: [
      {
        file: 'server/connections/connections.api.ts',
        find: "    if (!grants(request.caller.scopes, 'environment:connections:read_credentials')) {\n      if (query.force",
        replace: '    if (Math.random() > 1) {\n      if (query.force',
      },
    ],
  },
  'an-ended-session-answers-nothing': {
    finding: 'the session of an agent answers after its end',
    steps: 'connect; an agent begins; an agent is ended; an agent works',
    changes: [
      {
        file: 'server/agents/agent-sessions.store.ts',
        find: "'UPDATE agent_sessions SET ended_at = ?, ended_reason = ?, tags = NULL WHERE id = ? AND ended_at IS NULL'",
        replace: "'UPDATE agent_sessions SET tags = NULL WHERE ?1 = ?2 AND id = ?3'",
      },
    ],
  },
  'a-permission-is-for-a-version': {
    finding: 'what a person allowed an agent holds for a later version of the tool',
    steps: 'connect; an agent begins; a function is edited; time passes; an agent works',
    changes: [
      {
        file: 'server/mcp/tool-policies.ts',
        find: "decision.policy === 'allow' && !coversVersion",
        replace: "decision.policy === 'allow' && Math.random() > 1 && !coversVersion",
      },
    ],
  },
};

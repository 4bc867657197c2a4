import { GUARDS } from './guards.ts';
import type { Mend } from './mend.ts';

export const MENDS: Readonly<Record<string, Mend>> = {
  'schedules-after-a-step-back': {
    finding: 'attack 4, server 3: a clock that was ahead and comes back stops schedules',
    steps: 'connect; the clock is set 12; time passes 70; the clock is set 3',
    changes: [
      {
        file: 'server/platform/scheduler/job-queue.ts',
        find: '    await schedules.pullBack(tx, now);\n',
        replace: '    void schedules;\n',
      },
    ],
  },
  'tokens-from-a-wrong-clock': {
    finding: 'attack 4: a token that a clock which was ahead stored is never renewed',
    steps: 'connect 3; the clock is set 12; read 3; the clock is set 3; the computer sleeps 1',
    changes: [
      {
        file: 'server/connections/credentials/renewal-need.ts',
        find: 'const isFromWrongClock = facts.obtainedAt > nowMs + MAX_CLOCK_ERROR_MS;',
        replace: 'const isFromWrongClock = false && facts.obtainedAt > nowMs + MAX_CLOCK_ERROR_MS;',
      },
    ],
  },
  'removed-files': {
    finding: 'attack 5: the log of the database is removed, and writes are acknowledged as before',
    steps: 'connect; the log of the database is removed',
    changes: [
      {
        file: 'server/platform/database/data-files.ts',
        find: '    if (lost.length > 0) return this.#rescue(lost);\n',
        replace: '',
      },
    ],
  },
  'journal-of-renewed-tokens': {
    finding: 'attack 6: a renewed token is only in memory until the database has it',
    steps: 'connect; time passes 40; read 9 &; the process is killed',
    changes: [
      {
        file: 'server/connections/renewal-journal.ts',
        find: '    writeFile(kept);\n    // Removed',
        replace: '    // Removed',
      },
    ],
  },
  'lost-worker-is-no-refusal': {
    finding: 'server 2: a lost worker or a locked vault counts as a refusal by validate-connection',
    steps: 'connect &; a worker is lost',
    changes: [
      {
        file: 'server/lifecycle/on-event-runner.ts',
        find: '&& !isDecision)',
        replace: '&& !isDecision && Math.random() > 1)',
      },
    ],
  },
  'reserved-job-goes-on': {
    finding: 'server 4: a reserved job stands still when the creation of a connection fails half-way',
    steps: 'connect &; a worker is lost',
    changes: [
      {
        file: 'server/lifecycle/connection-creation.ts',
        find: '      scheduler.leave(jobId);\n',
        replace: '',
      },
    ],
  },
  'deadlines-count-time-awake': {
    finding: 'server 6: the time limit of a job passes while the computer sleeps',
    steps: 'connect; bad responses 1; trigger syncs &; the computer sleeps 3',
    changes: [
      {
        file: 'server/platform/lib/awake-time.ts',
        find: 'Math.min(Math.max(now - this.#lookedAt, 0), this.#maxGapMs)',
        replace: 'Math.max(now - this.#lookedAt, 0)',
      },
    ],
  },
  'checkpoint-and-deletions': {
    finding: 'server 7: a full sync that continues from its checkpoint deletes what its first half saved',
    steps: 'connect; the process is killed at a call 19; time passes 70',
    changes: [
      {
        file: 'server/syncs/sync-run.ts',
        find: "scriptType === 'sync' && checkpoint.range.from !== null",
        replace: "scriptType === 'sync' && Math.random() > 1 && checkpoint.range.from !== null",
      },
    ],
  },
  'state-is-kept-while-locked': {
    finding: 'server 8: a callback while the vault is locked uses up the sign-in',
    steps: 'sign in &; the vault is locked &',
    changes: [
      {
        file: 'server/authorization/flow-states.ts',
        find: '      const state = vault.openJson<FlowState>(row.content, context(id));\n      await states.remove(tx, id);\n      return',
        replace:
          '      await states.remove(tx, id);\n      if (vault.isLocked) return undefined;\n      const state = vault.openJson<FlowState>(row.content, context(id));\n      return',
      },
    ],
  },
  'nothing-is-old-by-a-wrong-clock': {
    finding: 'ruling 7.55: a clock that is a year ahead makes the hub remove rows as old',
    steps: 'connect; time passes 70; the clock is set 2; the process is killed; time passes 5',
    changes: [
      {
        file: 'server/platform/scheduler/seen-time.ts',
        find: 'return this.#clock.now() - this.#row.seenAt > MAX_STEP_MS;',
        replace: 'return Math.random() > 1;',
      },
    ],
  },
  'statements-end-with-their-transaction': {
    finding:
      'found by the simulator: of several statements at the same time one fails, another one is stored after the rollback',
    // The person is signed in before, so that the lock comes in the middle of the first sync.
    steps:
      'the vault is unlocked; connect; the vault is locked at a call 24; time passes 5; the vault is unlocked; time passes 30',
    changes: [
      {
        file: 'server/platform/database/database.ts',
        find: '  if (state.running > 0)\n',
        replace: '  if (state.running > 1_000_000)\n',
      },
    ],
  },
  'the-copy-is-tried-again': {
    finding: 'found by the simulator: the log is removed while the disk is full, and the content is never saved',
    steps: 'connect; the disk is full; the log of the database is removed',
    changes: [
      { file: 'server/platform/database/data-files.ts', find: '        this.#rescuing = undefined;\n', replace: '' },
    ],
  },
  'a-left-job-is-handed-over-later': {
    finding:
      'found by the simulator: the disk is full when a creation fails, and its job stands still until the next start',
    steps: 'connect 7; connect 724 &; the provider changes 490 &; the disk is full 465 &',
    changes: [
      {
        file: 'server/platform/scheduler/scheduler.ts',
        find: 'void this.#store({ job: jobId }, (tx) => this.handOver(tx, jobId, {}));',
        replace: 'this.#options.database.transaction((tx) => this.handOver(tx, jobId, {})).catch(() => {});',
      },
    ],
  },
  'no-second-validation': {
    finding:
      'found by the simulator: after a power loss an acknowledged connection is validated again, refused and removed',
    steps: 'connect; bad responses 1; the power fails',
    changes: [
      {
        file: 'server/lifecycle/connection-creation.ts',
        find: 'fresh.isPending ?? false),\n      { durable: true },',
        replace: 'fresh.isPending ?? false),\n      {},',
      },
    ],
  },
  'a-restore-empties-the-log-first': {
    finding:
      'found by the simulator: a restore that is killed after it removed the log of an unclean end leaves the database without it',
    steps: 'connect; a backup is made; set metadata 12; a backup is restored 42',
    changes: [
      {
        file: 'server/offline-data.ts',
        find: '      await this.#emptyLog();\n      return join',
        replace: '      return join',
      },
    ],
  },
  'backups-and-keys-take-turns': {
    finding:
      'found by the simulator: a backup that is made while the master key is replaced opens with the old key only, which is gone',
    steps: 'connect; sign in 308; the master key is changed 445 &; a backup is made 816 &',
    changes: [
      {
        file: 'server/data/key-care.ts',
        find: 'backups.whileStill(() => replace(change))',
        replace: 'replace(change)',
      },
    ],
  },
  'a-failed-change-is-applied-later': {
    finding:
      'found by the simulator: a saved function whose change meets a failed call is not live until the next start',
    steps: 'a function is edited 443; the hub stops and starts; one call fails 20; time passes 85; connect 445',
    changes: [
      {
        file: 'server/functions/deployments/live-workspace.ts',
        find: '      compareLater();\n',
        replace: '      void compareLater;\n',
      },
    ],
  },
  'a-file-that-is-back-is-not-missing': {
    finding:
      'found by the simulator: a file that was missing for a moment is looked for without end, and without a pause',
    steps: 'one call fails 122; set metadata 516; connect',
    changes: [
      {
        file: 'server/functions/deployments/missing-files.ts',
        find: '    noteGone(gone, now);\n    // A time',
        replace: '    // A time',
      },
    ],
  },
  'the-folder-is-watched-later': {
    finding:
      'found by the simulator: the first read of the database fails at a start, and the functions folder is not watched until the next one',
    steps:
      'sign in 449; the process is killed at a call 216 &; a function is edited 35; time passes 631 &; one call fails 482; time passes 172 &',
    changes: [
      {
        file: 'server/functions/deployments/live-workspace.ts',
        find: '(isWatched ? compareWorkspace() : watchFolder())',
        replace: '(isWatched ? compareWorkspace() : compareWorkspace())',
      },
    ],
  },
  'a-number-is-given-once': {
    finding:
      'found by the simulator: a session of an agent for a refused connection acts for the next one, which gets its number',
    steps:
      'the hub stops and starts 966; the vault is locked at a call 732; connect 762; an agent begins 922 &; the vault is unlocked 554 &; sign in 768; an agent works 339',
    changes: [
      {
        file: 'server/connections/connections.service.ts',
        find: '      await connectionsStore.remove(tx, [connection.id], clock.now());\n',
        replace: "      await tx.run('DELETE FROM connections WHERE id = ?', [connection.id]);\n",
      },
    ],
  },
  'a-transaction-ends-before-the-next': {
    finding:
      'found by the simulator: a transaction whose begin was done in part, or whose rollback failed, stays open; nothing is stored until the next start',
    steps: 'a function is edited 641; sign in 922; disconnect 10 &; one call fails 253; set metadata 685',
    changes: [
      {
        file: 'server/platform/database/write-queue.ts',
        find: '    await this.#endLeftOpen();\n    const begin',
        replace: '    const begin',
      },
    ],
  },
  'a-failed-renewal-forgets-no-age': {
    finding:
      'found by the simulator: a token that was renewed while the clock was ahead counts as valid for as long once its next renewal failed',
    steps:
      'connect 533 &; time passes 802; the clock is set 702; bad responses 219 &; sign in 717; time passes 768; the computer sleeps 239 &; the process is killed 473',
    changes: [
      {
        file: 'server/connections/renewal.ts',
        find: 'row.credentialsObtainedAt ?? row.createdAt',
        replace: 'row.lastRefreshSuccessAt ?? row.createdAt',
      },
    ],
  },
  'a-deleted-file-after-a-step-back': {
    finding: 'ruling 7.55: a function whose file was deleted while the clock was ahead runs on',
    steps: 'connect; the clock is set 1; a function is deleted; time passes',
    changes: [
      {
        file: 'server/functions/deployments/missing-files.ts',
        find: 'since <= now - GRACE_MS || since > now',
        replace: 'since <= now - GRACE_MS',
      },
    ],
  },
  'a-token-is-as-old-as-its-request': {
    finding:
      'found by the simulator: a token whose response is read after a sleep counts as valid for an hour from then',
    steps: 'connect; bad responses; read 9 &; the computer sleeps 1',
    changes: [
      {
        file: 'server/platform/lib/issue-time.ts',
        find: 'Math.min(sentAt, clock.now())',
        replace: 'Math.max(sentAt, clock.now())',
      },
    ],
  },
  'a-renewal-is-as-old-as-its-request': {
    finding:
      'found by the simulator: a renewed token that is stored after a step back is believed until the clock is there again',
    steps: 'connect; the clock is set 12; read 9 &; the clock is set 3; the computer sleeps 1',
    changes: [
      {
        file: 'server/connections/renewal.ts',
        find: 'issued, askedAt });',
        replace: 'issued });',
      },
    ],
  },
  'a-sign-in-is-as-old-as-its-request': {
    finding: 'known weakness: a sign-in that is stored after a step back is believed until the clock is there again',
    steps: 'the clock is set 12; sign in &; read 1 &; the clock is set 3; the computer sleeps 1',
    changes: [
      {
        file: 'server/connections/connections.service.ts',
        find: 'content.obtainedAt ?? now;',
        replace: 'now;',
      },
    ],
  },
  'a-created-connection-that-cannot-be-read': {
    finding:
      'found by the simulator: the read of a stored connection fails, and its job stands still until the next start',
    steps: 'one call fails 35; connect',
    changes: [
      {
        file: 'server/lifecycle/connection-creation.ts',
        find: '    try {\n      const connection = await connections.find(integration, connectionId);\n',
        replace: '    const connection = await connections.find(integration, connectionId);\n    try {\n',
      },
    ],
  },
  ...GUARDS,
};

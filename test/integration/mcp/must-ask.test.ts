import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AskedCall, Consent } from '../../../server/mcp/consent.ts';
import type { McpPolicy } from '../../../server/mcp/mcp-decisions.store.ts';
import type { ClientAnswer, OpenQuestion } from '../../../server/mcp/toolbox.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import type { Database } from '../../../server/platform/database/database.ts';
import { openDatabase } from '../../../server/platform/database/open-database.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const WHY = 'The session has read text by strangers.';

let home: TempHome;
let database: Database;
beforeEach(async () => {
  home = await createTempHome();
  const backups = new BackupFolder({ home: home.path, clock: systemClock });
  const parts = { home: home.path, backups, migrations: MIGRATIONS, clock: systemClock, logger: silentLogger };
  database = (await openDatabase(parts)).database;
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

function createConsent(defaultPolicy: McpPolicy): Consent {
  return new Consent({
    database,
    defaultPolicy,
    clock: systemClock,
    ids: randomIds,
    logger: silentLogger,
    vault: { assertUnlocked: () => {} },
    audit: { record: async () => {} },
    limits: { admit: () => undefined, repeatsOf: async () => null },
    onChanged: () => {},
  });
}

function callOf(parts: Partial<AskedCall> = {}): AskedCall {
  return {
    key: {
      environmentId: 1,
      apiKeyId: null,
      program: 'editor',
      sessionId: 's1',
      integrationKey: 'practice',
      connectionId: 'me',
      connectionRowId: 1,
      tool: 'send-mail',
      fingerprint: 'write one',
    },
    clientName: 'editor',
    risk: 'write',
    arguments: { to: 'ada' },
    signal: new AbortController().signal,
    asking: { kind: 'none' },
    limited: { environmentId: 1, subjects: [] },
    isWrite: true,
    ...parts,
  };
}

const repeating = (questionId?: string, answer: ClientAnswer = 'unanswered'): AskedCall['asking'] => ({
  kind: 'repeat',
  previous: questionId === undefined ? undefined : { questionId, answer },
});

describe('a call with a reason to ask', () => {
  it('asks although the policy allows the tool, shows the reason, and offers nothing that lasts', async () => {
    const consent = createConsent('allow');
    const call = callOf({ mustAsk: [WHY], asking: repeating() });

    const asked = (await consent.decide(call)) as OpenQuestion;

    expect(asked.question.message.split('\n')).toContain(WHY);
    expect(asked.question.decisions).toEqual(['allow-once', 'deny', 'deny-always']);
    expect(consent.approvals.list(1)).toMatchObject([{ reasons: [WHY] }]);
    await expect(consent.answer(1, asked.questionId, 'allow-session')).rejects.toMatchObject({ code: 'invalid_body' });
    await consent.answer(1, asked.questionId, 'allow-once');
    expect(await consent.decide({ ...call, asking: repeating(asked.questionId) })).toMatchObject({
      isAllowed: true,
      wasAsked: true,
      reason: `allowed once by the user. It was asked because: ${WHY.slice(0, -1)}`,
    });
  });

  it('is refused without a question by a policy that denies the tool', async () => {
    const consent = createConsent('deny');

    expect(await consent.decide(callOf({ mustAsk: [WHY] }))).toMatchObject({ isAllowed: false, wasAsked: false });
    expect(consent.approvals.list(1)).toEqual([]);
  });

  it.each(['allow-session', 'allow-always'] as const)('takes %s, which it did not offer, as a no', async (answer) => {
    const consent = createConsent('allow');
    const call = callOf({ mustAsk: [WHY] });
    const asked = (await consent.decide({ ...call, asking: repeating() })) as OpenQuestion;

    expect(await consent.decide({ ...call, asking: repeating(asked.questionId, answer) })).toMatchObject({
      isAllowed: false,
    });
    const ask = async () => answer;
    expect(await consent.decide({ ...call, asking: { kind: 'elicit', ask } })).toMatchObject({ isAllowed: false });
  });

  it('is asked again for a reason that came after the answer', async () => {
    const consent = createConsent('allow');
    const call = callOf({ mustAsk: [WHY] });
    const asked = (await consent.decide({ ...call, asking: repeating() })) as OpenQuestion;
    await consent.answer(1, asked.questionId, 'allow-once');

    const later = { ...call, mustAsk: [WHY, 'Something else.'], asking: repeating(asked.questionId) };

    expect(await consent.decide(later)).toMatchObject({ question: { message: expect.stringContaining('Something') } });
  });

  it('is not answered by a lasting permission for another call of the tool, and once by the command', async () => {
    const consent = createConsent('ask');
    const plain = (await consent.decide(callOf({ asking: repeating() }))) as OpenQuestion;
    const call = callOf({ mustAsk: [WHY] });
    const asked = (await consent.decide({ ...call, asking: repeating() })) as OpenQuestion;
    // `answer` would store the permission for a connection that this database does not have.
    consent.approvals.settle(plain.questionId, 'allow-session');
    expect(consent.approvals.list(1)).toMatchObject([{ reasons: [WHY] }]);

    consent.answerAll(({ tool }) => tool === 'send-mail', 'allow-always');

    expect(await consent.decide({ ...call, asking: repeating(asked.questionId) })).toMatchObject({
      isAllowed: true,
      reason: expect.stringContaining('allowed once'),
    });
  });
});

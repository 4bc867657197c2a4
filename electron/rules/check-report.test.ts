import { describe, expect, it } from 'vitest';
import { AbsentPart, reportLine, runCheck } from './check-report.ts';

describe('a self-check', () => {
  it('tells apart what works, what fails, what is late and what a computer does not have', async () => {
    const results = [
      await runCheck('server', 1000, async () => undefined),
      await runCheck('graphics', 1000, async () => 'enabled'),
      await runCheck('tray', 1000, () => Promise.reject(new AbsentPart('No tray.'))),
    ];
    expect(results.map(({ ms: _ms, ...rest }) => rest)).toEqual([
      { name: 'server', ok: true },
      { name: 'graphics', ok: true, detail: 'enabled' },
      { name: 'tray', ok: null, detail: 'No tray.' },
    ]);
    expect(JSON.parse(reportLine({ version: '1.0.0' }, results))).toMatchObject({ ok: true, version: '1.0.0' });

    const bad = await runCheck('menu', 1000, () => Promise.reject(new Error('gone\n  at x')));
    const late = await runCheck('window', 1, () => new Promise(() => {}));
    expect([bad, late]).toMatchObject([
      { ok: false, detail: 'gone' },
      { ok: false, detail: 'nothing happened within 0.001 s' },
    ]);
    expect(JSON.parse(reportLine({}, [...results, bad])).ok).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { SentBundles } from './worker-process.ts';
import type { ToWorker } from './worker-protocol.ts';

describe('SentBundles', () => {
  it('sends a bundle once and drops the least recently used one', () => {
    const sent: string[] = [];
    const send = (message: ToWorker) => void sent.push(`${message.kind} ${(message as { key: string }).key}`);
    const bundles = new SentBundles({ most: 2, send });
    const use = (hash: string) => bundles.ensure({ hash, code: '', fileName: 'f' });

    for (const hash of ['a', 'b', 'a', 'c', 'a', 'b']) use(hash);

    expect(sent).toEqual(['bundle a f', 'bundle b f', 'bundle c f', 'drop b f', 'bundle b f', 'drop c f']);
  });

  it('sends no source map', () => {
    const sent: ToWorker[] = [];
    const bundles = new SentBundles({ most: 5, send: (message) => void sent.push(message) });
    const code = 'const a = 1;\n//# sourceMappingURL=data:application/json;base64,e30=\n';

    bundles.ensure({ hash: 'a', code, fileName: 'one' });
    bundles.ensure({ hash: 'b', code: `${code}const b = 2;`, fileName: 'two' });

    expect(sent).toMatchObject([{ code: 'const a = 1;\n' }, { code: `${code}const b = 2;` }]);
  });

  it('keeps equal code under different file names apart', () => {
    const sent: ToWorker[] = [];
    const bundles = new SentBundles({ most: 5, send: (message) => void sent.push(message) });

    bundles.ensure({ hash: 'a', code: '', fileName: 'one' });
    bundles.ensure({ hash: 'a', code: '', fileName: 'two' });

    expect(sent).toHaveLength(2);
  });
});

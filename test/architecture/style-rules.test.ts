import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, ROOT } from './source-tree.ts';
import { findLayoutClasses, findStyleProblems } from './style-rules.ts';

const read = (file: string) => ({ path: file, text: readFileSync(path.join(ROOT, file), 'utf8') });

describe('the classes of CSS modules', () => {
  it('are those that the components use', () => {
    const files = listFiles('renderer');
    const styles = files.filter((file) => file.endsWith('.module.css')).map(read);
    const components = files.filter((file) => /\.tsx?$/.test(file)).map(read);

    expect(styles.length).toBeGreaterThan(20);
    expect(findStyleProblems(styles, components)).toEqual([]);
  });

  it('are reported when they are missing, unused or computed', () => {
    const styles = [
      {
        path: 'renderer/a/A.module.css',
        text: '/* .old */ .used:hover, .left { width: 1.5px } @media (width) { .deep .used {} } :global(.theirs) .used {}',
      },
    ];
    const text = "import classes from './A.module.css'; x(classes['used'], classes['gone'], classes[name]);";

    expect(findStyleProblems(styles, [{ path: 'renderer/a/A.tsx', text }])).toEqual([
      'renderer/a/A.tsx: renderer/a/A.module.css has no class gone',
      'renderer/a/A.tsx: classes[name] is computed',
      'renderer/a/A.module.css: no component uses left',
      'renderer/a/A.module.css: no component uses deep',
    ]);
  });

  it('do more than lay out: that is done by Group, Stack and the classes of shared.css', () => {
    // The connect page has neither, and the kit gets its own look there.
    const files = listFiles('renderer').filter(
      (file) => file.endsWith('.module.css') && !/\/connect\/|kit\.mod/.test(file),
    );

    expect(findLayoutClasses(files.map(read))).toEqual([]);
  });

  it('are reported when they only lay out', () => {
    const text = `
      /* A comment. */
.wide { display: flex; gap: 8px; color: var(--hp-text-2); }
.drawn { display: flex; border: 1px solid var(--hp-border); }
.changes { gap: 8px; }
@media (width) { .changes { gap: 4px; } }
.open { padding: 4px; }
.open[data-open] { padding: 8px; }
`;

    expect(findLayoutClasses([{ path: 'A.module.css', text }])).toEqual(['A.module.css wide']);
  });
});

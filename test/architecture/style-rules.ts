import path from 'node:path';

interface NamedText {
  /** Relative to the repository, with forward slashes. */
  path: string;
  text: string;
}

/**
 * Classes that a component uses and its CSS module lacks, and classes that no component uses: the errors that the
 * compiler would report if CSS modules had types. Components write a class as `classes['name']` and never compute its name.
 */
export function findStyleProblems(styles: readonly NamedText[], components: readonly NamedText[]): string[] {
  const unused = new Map(styles.map((style) => [style.path, definedIn(style.text)]));
  const problems: string[] = [];
  for (const component of components) {
    for (const [, local, from] of component.text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
      const file = path.posix.join(path.posix.dirname(component.path), from ?? '');
      const defined = definedIn(styles.find((style) => style.path === file)?.text ?? '');
      for (const [, index] of component.text.matchAll(new RegExp(`\\b${local}\\[([^\\]]+)\\]`, 'g'))) {
        const name = /^'([^']+)'$/.exec(index ?? '')?.[1];
        if (name === undefined) problems.push(`${component.path}: ${local}[${index}] is computed`);
        else if (!defined.has(name)) problems.push(`${component.path}: ${file} has no class ${name}`);
        unused.get(file)?.delete(name ?? '');
      }
    }
  }
  for (const [file, names] of unused) for (const name of names) problems.push(`${file}: no component uses ${name}`);
  return problems;
}

/** Names of classes in the selectors of a CSS module; global ones belong to other code. */
function definedIn(css: string): Set<string> {
  const selectors = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/:global\([^)]*\)/g, '')
    .replace(/\{[^{}]*\}/g, '');
  return new Set([...selectors.matchAll(/\.(-?[_a-zA-Z][\w-]*)/g)].map(([, name]) => name ?? ''));
}

const LAYOUT =
  /^(display: (flex|block)$|(min|max)-width: (0|none)$|color: var\(--hp-text(-[23])?\)$|((row-|column-)?gap|flex|align|justify|order|margin|padding|font-size|font-weight|font-variant-numeric|line-height|text-align|overflow|white-space|text-overflow)[a-z-]*:)/;

/** Classes that have one plain rule, and in it nothing but layout and type: work of the kit and of the shared classes. */
export function findLayoutClasses(styles: readonly NamedText[]): string[] {
  return styles.flatMap(({ path: file, text }) => {
    const css = text.replace(/\/\*[\s\S]*?\*\//g, '');
    return [...css.matchAll(/^\.([\w-]+) \{([^{}]*)\}/gm)].flatMap(([, name = '', body = '']) => {
      const isOnlyRule = [...css.matchAll(new RegExp(`\\.${name}(?![\\w-])`, 'g'))].length === 1;
      const declarations = body.split(';').flatMap((part) => part.trim() || []);
      return isOnlyRule && declarations.every((one) => LAYOUT.test(one)) ? [`${file} ${name}`] : [];
    });
  });
}

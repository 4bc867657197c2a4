import type { ImportDeclaration } from 'oxc-parser';
import type { SourceFile } from '../../../functions/compiler/source-file.ts';
import { walk } from '../../../functions/compiler/syntax.ts';
import type { OldModules } from './old-modules.ts';
import type { TextEdits } from './text-edits.ts';

interface UsesOptions {
  file: SourceFile;
  /** Path of the file in the old project. */
  from: string;
  edits: TextEdits;
  modules: OldModules;
  /** Whether a file of the old project holds a function that was turned. */
  isTurned: (path: string) => boolean;
}

const WEBHOOK_FUNCTION = 'onWebhookPayloadReceived';

/** Tests and helpers called the exported function; now they call `exec` or `onWebhook` of the definition. */
export function turnUses({ file, from, edits, modules, isTurned }: UsesOptions): void {
  /** Names in this file → what is called instead. */
  const members = new Map<string, string>();
  for (const statement of file.program.body) {
    if (statement.type !== 'ImportDeclaration' || statement.importKind === 'type') continue;
    const path = modules.find(from, statement.source.value);
    if (path !== undefined && isTurned(path)) turnImport(statement, edits, members);
  }
  walk(file.program, (node, ancestors) => {
    if (node.type !== 'Identifier') return;
    const member = members.get(node.name);
    const parent = ancestors.at(-1);
    if (member === undefined || /^Import.*Specifier$/.test(parent?.type ?? '')) return;
    if (parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand) return;
    if (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) return;
    // A test that already uses the definition.
    if (parent?.type === 'MemberExpression' && parent.property.type === 'Identifier' && parent.property.name === 'exec')
      return;
    edits.replace(node.start, node.end, member);
  });
}

function turnImport(statement: ImportDeclaration, edits: TextEdits, members: Map<string, string>): void {
  const ofDefault = statement.specifiers.find(
    (one) =>
      one.type === 'ImportDefaultSpecifier' ||
      (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' && one.imported.name === 'default'),
  );
  if (ofDefault) members.set(ofDefault.local.name, `${ofDefault.local.name}.exec`);
  const handler = statement.specifiers.find(
    (one) =>
      one.type === 'ImportSpecifier' && one.imported.type === 'Identifier' && one.imported.name === WEBHOOK_FUNCTION,
  );
  if (!handler) return;
  const definition = ofDefault?.local.name ?? 'definition';
  members.set(handler.local.name, `${definition}.onWebhook?.`);
  const others = statement.specifiers.flatMap((one) =>
    one.type === 'ImportSpecifier' && one !== handler && one !== ofDefault && one.imported.type === 'Identifier'
      ? [one.imported.name === one.local.name ? one.local.name : `${one.imported.name} as ${one.local.name}`]
      : [],
  );
  const named = others.length > 0 ? `, { ${others.join(', ')} }` : '';
  edits.replace(statement.start, statement.source.start, `import ${definition}${named} from `);
}

import { posix } from 'node:path';
import type { ImportDeclaration, ImportSpecifier, Node, Statement } from 'oxc-parser';
import { SourceFile } from '../../../functions/compiler/source-file.ts';
import type { Notes } from './migration-notes.ts';
import { SDK_TYPES } from './models-file.ts';
import type { Shape } from './schema-shape.ts';
import type { TextEdits } from './text-edits.ts';
import { readMembers, readTypeNode, type TypeNames } from './type-text.ts';

/** Files in which the old command line wrote the models and the types of the context. */
const MODEL_FILES = /^(?:models|\.nango\/schema)(?:\.[cm]?[jt]s)?$/;
const NEW_MODELS = 'models.ts';

/** Where files are in the old project and in the new one. Paths are relative to the project, with `/`. */
export class OldModules {
  readonly #files: ReadonlySet<string>;
  /** New places of files that are not copied to the same place. */
  readonly #moved = new Map<string, string>();

  constructor(files: Iterable<string>) {
    this.#files = new Set(files);
  }

  move(from: string, to: string): void {
    if (!this.#moved.has(from)) this.#moved.set(from, to);
  }

  placeOf(path: string): string {
    return this.#moved.get(path) ?? path;
  }

  isModels(importer: string, specifier: string): boolean {
    return specifier.startsWith('.') && MODEL_FILES.test(posix.join(posix.dirname(importer), specifier));
  }

  /** The file of the old project that a relative import means. */
  find(importer: string, specifier: string): string | undefined {
    if (!specifier.startsWith('.')) return undefined;
    const path = posix.join(posix.dirname(importer), specifier);
    const stem = path.replace(/\.[cm]?js$/, '');
    return [path, `${path}.ts`, `${stem}.ts`, `${stem}.tsx`, `${path}/index.ts`].find((one) => this.#files.has(one));
  }

  /** How a file of the new project imports another one. */
  specifier(from: string, to: string): string {
    const path = posix.relative(posix.dirname(from), to).replace(/\.tsx?$/, '.js');
    return path.startsWith('.') ? path : `./${path}`;
  }

  /** A relative import as it is written at the new place; undefined when it leads to no file of the project. */
  rewrite(importer: string, place: string, specifier: string): string | undefined {
    const found = this.find(importer, specifier);
    return found === undefined ? undefined : this.specifier(place, this.placeOf(found));
  }
}

export interface ModelNames {
  has: (name: string) => boolean;
}

export interface ImportChange {
  file: SourceFile;
  /** The path of the file in the old project, and in the new one. */
  from: string;
  place: string;
  edits: TextEdits;
  modules: OldModules;
  models: ModelNames;
  /** Models that the code uses as values, with the names that they have in this file. */
  values?: ReadonlyMap<string, string>;
  /** Names that the code still uses; without it, all. */
  used?: ReadonlySet<string>;
  /** Called with each other name that is imported from the models, and for imports of the whole file. */
  onOther: (name: string) => void;
}

/** Changes what a file imports: paths, and types of the context, which come from `'homeport'` now. */
export function changeImports(change: ImportChange): void {
  const { file, from, place, edits, modules } = change;
  const values = new Map(change.values);
  for (const statement of file.program.body) {
    const source = sourceOf(statement);
    if (source === undefined) continue;
    const specifier = source.value;
    if (statement.type === 'ImportDeclaration' && isSdkImport(statement)) {
      const line = importLine('type ', namesOf(statement, change.used), 'homeport');
      if (line === '') edits.removeLine(statement.start, statement.end);
      else edits.replace(statement.start, statement.end, line);
    } else if (!modules.isModels(from, specifier)) {
      const rewritten = modules.rewrite(from, place, specifier);
      if (rewritten !== undefined && rewritten !== specifier)
        edits.replace(source.start, source.end, `${source.quote}${rewritten}${source.quote}`);
    } else if (statement.type === 'ImportDeclaration' && statement.specifiers.every(isNamed)) {
      const lines = splitModelImport(statement, change, values);
      if (lines.length === 0) edits.removeLine(statement.start, statement.end);
      else edits.replace(statement.start, statement.end, lines.join('\n'));
      values.clear();
    } else {
      change.onOther('*');
      edits.replace(source.start, source.end, `${source.quote}${modules.specifier(place, NEW_MODELS)}${source.quote}`);
    }
  }
  if (values.size > 0) edits.insert(startOf(file), `${importLine('', values, modules.specifier(place, NEW_MODELS))}\n`);
}

/** Where new imports go: before the first statement. */
export function startOf({ program }: SourceFile): number {
  const [first] = program.body;
  return first?.type === 'ImportDeclaration' ? first.start : (program.hashbang?.end ?? 0);
}

function splitModelImport(
  statement: ImportDeclaration,
  { place, modules, models, used, onOther }: ImportChange,
  values: ReadonlyMap<string, string>,
): string[] {
  const asValue = new Map(values);
  const asType = new Map<string, string>();
  const sdk = new Map<string, string>();
  for (const specifier of statement.specifiers) {
    if (specifier.type !== 'ImportSpecifier') continue;
    const name = importedName(specifier);
    const local = specifier.local.name;
    if (asValue.get(name) === local || (used && !used.has(local))) continue;
    if (models.has(name)) asType.set(name, local);
    else if (SDK_TYPES.has(name)) sdk.set(name, local);
    else {
      onOther(name);
      asType.set(name, local);
    }
  }
  const path = modules.specifier(place, NEW_MODELS);
  return [
    importLine('type ', sdk, 'homeport'),
    importLine('', asValue, path),
    importLine('type ', asType, path),
  ].filter((line) => line !== '');
}

function importLine(kind: '' | 'type ', names: ReadonlyMap<string, string>, path: string): string {
  const list = [...names].map(([name, local]) => (name === local ? name : `${name} as ${local}`)).sort();
  return list.length === 0 ? '' : `import ${kind}{ ${list.join(', ')} } from '${path}';`;
}

/** Types of the context from a package of the reference service. */
function isSdkImport({ source, specifiers }: ImportDeclaration): boolean {
  if (!source.value.startsWith('@nangohq/') || specifiers.length === 0) return false;
  return specifiers.every((one) => one.type === 'ImportSpecifier' && SDK_TYPES.has(importedName(one)));
}

function namesOf({ specifiers }: ImportDeclaration, used: ReadonlySet<string> | undefined): Map<string, string> {
  const named = specifiers.filter((one) => one.type === 'ImportSpecifier');
  return new Map(
    named.filter(({ local }) => !used || used.has(local.name)).map((one) => [importedName(one), one.local.name]),
  );
}

function importedName({ imported }: ImportSpecifier): string {
  return imported.type === 'Identifier' ? imported.name : String(imported.value);
}

function isNamed({ type }: Node): boolean {
  return type === 'ImportSpecifier';
}

function sourceOf(statement: Statement): { value: string; start: number; end: number; quote: string } | undefined {
  if (
    statement.type !== 'ImportDeclaration' &&
    statement.type !== 'ExportNamedDeclaration' &&
    statement.type !== 'ExportAllDeclaration'
  )
    return undefined;
  const { source } = statement;
  return source
    ? { value: source.value, start: source.start, end: source.end, quote: source.raw?.charAt(0) ?? "'" }
    : undefined;
}

/** The `models.ts` of the old project. The old command line wrote it; people added types to it. */
export class OldModelsFile {
  readonly #text: string;
  readonly #declared = new Map<string, Statement>();
  readonly #imported = new Map<string, ImportDeclaration>();

  constructor(text: string) {
    const { program } = new SourceFile(NEW_MODELS, text);
    this.#text = text;
    for (const statement of program.body) {
      if (statement.type === 'ImportDeclaration')
        for (const { local } of statement.specifiers) this.#imported.set(local.name, statement);
      const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
      if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier')
        this.#declared.set(declaration.id.name, statement);
      if (declaration?.type === 'VariableDeclaration')
        for (const { id } of declaration.declarations)
          if (id.type === 'Identifier') this.#declared.set(id.name, statement);
    }
  }

  declares(name: string): boolean {
    return this.#declared.has(name);
  }

  /** The shape of an interface or of an object type; undefined when there is none with this name. */
  shapeOf(name: string, names: TypeNames): Shape | undefined {
    const members = this.#membersOf(name);
    return members && readMembers(members, this.#text, names);
  }

  fieldOf(name: string, field: string, names: TypeNames): Shape | undefined {
    const wanted = field.replace(/\?$/, '');
    for (const member of this.#membersOf(name) ?? [])
      if (member.type === 'TSPropertySignature' && member.key.type === 'Identifier' && member.key.name === wanted)
        return member.typeAnnotation
          ? readTypeNode(member.typeAnnotation.typeAnnotation, this.#text, names)
          : undefined;
    return undefined;
  }

  #membersOf(name: string): Node[] | undefined {
    const statement = this.#declared.get(name);
    const declaration = statement?.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type === 'TSInterfaceDeclaration') return declaration.body.body;
    const alias = declaration?.type === 'TSTypeAliasDeclaration' ? declaration.typeAnnotation : undefined;
    return alias?.type === 'TSTypeLiteral' ? alias.members : undefined;
  }

  /** The declarations of some names and of everything that they need, as they were, and the imports that they need. */
  keep(names: Iterable<string>, models: ModelNames, notes: Notes): { imports: string[]; declarations: string[] } {
    const kept = new Set<Statement>();
    const imports = new Set<ImportDeclaration>();
    const sdk = new Set<string>();
    const waiting = [...names];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (models.has(name)) continue;
      const statement = this.#declared.get(name);
      const imported = this.#imported.get(name);
      if (SDK_TYPES.has(name)) sdk.add(name);
      else if (statement && !kept.has(statement)) {
        kept.add(statement);
        const words = this.#text.slice(statement.start, statement.end).match(/[A-Za-z_$][\w$]*/g) ?? [];
        waiting.push(
          ...words.filter((word) => word !== name && (this.#declared.has(word) || this.#imported.has(word))),
        );
      } else if (imported) imports.add(imported);
      else if (!statement && name !== '*')
        notes.left(
          NEW_MODELS,
          `"${name}" is imported from the models, but nango.yaml and models.ts do not contain it.`,
        );
    }
    const source = ({ start, end }: Node): string => this.#text.slice(start, end);
    const declarations = [...kept].toSorted((a, b) => a.start - b.start).map((one) => `${asExported(source(one))}\n`);
    const ofSdk = sdk.size > 0 ? [`import type { ${[...sdk].sort().join(', ')} } from 'homeport';\n`] : [];
    return { imports: [...ofSdk, ...[...imports].map((one) => `${source(one)}\n`)], declarations };
  }
}

function asExported(declaration: string): string {
  return declaration.startsWith('export') ? declaration : `export ${declaration}`;
}

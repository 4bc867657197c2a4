import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { checkImports } from '../../../functions/compiler/checks/import-check.ts';
import {
  type FunctionKind,
  functionPath,
  isSourceFileName,
  locateFunction,
} from '../../../functions/compiler/function-path.ts';
import { SourceFile } from '../../../functions/compiler/source-file.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { parsePackageFile } from '../project/package-file.ts';
import { type MigrationNote, Notes, noteComment } from './migration-notes.ts';
import { writeModelsFile } from './models-file.ts';
import { type OldConfig, type OldFunction, readOldConfig } from './old-config.ts';
import { changeImports, OldModelsFile, OldModules } from './old-modules.ts';
import { findDefaultExport } from './old-source.ts';
import { type OldYaml, parseOldYaml } from './old-yaml.ts';
import { modelsIn } from './schema-shape.ts';
import { TextEdits } from './text-edits.ts';
import { turnFunction } from './turn-function.ts';
import { turnUses } from './turn-uses.ts';
import { type OldModel, readYamlModels } from './yaml-models.ts';

export interface MigratedFunction {
  integration: string;
  type: FunctionKind;
  name: string;
  /** In the new project. */
  path: string;
  /** In the old project; undefined when it has no file. */
  from: string | undefined;
  state: 'turned' | 'left' | 'missing';
}

export interface MigratedProject {
  functions: MigratedFunction[];
  models: number;
  /** Texts of the new project by path. */
  texts: Map<string, string>;
  /** Files that are copied unchanged, by path. */
  copied: string[];
  notes: MigrationNote[];
  hasTests: boolean;
}

/** Folders that tools make again. */
const SKIPPED = new Set(['node_modules', '.git']);
const SKIPPED_AT_ROOT = new Set(['.nango', 'dist', 'build']);
/** Files of the old project that the new one has in another form. */
const REPLACED = new Set(['nango.yaml', 'models.ts', 'tsconfig.json', 'index.ts']);
const OLD_FOLDERS: Record<FunctionKind, string[]> = {
  sync: ['syncs'],
  action: ['actions'],
  'on-event': ['on-events', 'post-connection-scripts'],
};

/** Reads a project of the old format and writes the texts of the new one, without touching the disk. */
export async function planMigration(root: string, ignored: string | undefined): Promise<MigratedProject> {
  const yaml = parseOldYaml(await readFile(join(root, 'nango.yaml')));
  if (readOldConfig(yaml.values).functions.length === 0) throw new CliFailure(NO_FUNCTIONS, EXIT.usage);
  const { files, links } = await listFiles(root, ignored);
  const sources = new Map<string, string>();
  for (const path of files) if (path.endsWith('.ts')) sources.set(path, await readFile(join(root, path), 'utf8'));
  const oldModels =
    (await readIfExists(join(root, 'models.ts'))) ?? (await readIfExists(join(root, '.nango/schema.ts')));
  const planner = new Planner(yaml, files, sources, oldModels);
  const packageFile = join(root, 'package.json');
  if (files.includes('package.json')) noteScripts(packageFile, await readFile(packageFile, 'utf8'), planner.notes);
  for (const link of links) planner.notes.left(link, 'It is a symbolic link and was not copied.');
  return planner.plan();
}

/** Scripts keep their text, because only their author knows where they run. */
function noteScripts(path: string, text: string, notes: Notes): void {
  const { scripts = {} } = parsePackageFile(path, text);
  for (const [name, command] of Object.entries(scripts))
    if (/(?:^|[\s&;|])nango\s/.test(String(command)))
      notes.left('package.json', `The script "${name}" calls nango: ${String(command)}. Call homeport instead.`);
}

const NO_FUNCTIONS =
  'This nango.yaml describes no functions (syncs, actions, on-events), so there is nothing to turn. Integrations without functions need no project: create them in the dashboard.';

async function listFiles(root: string, ignored: string | undefined): Promise<{ files: string[]; links: string[] }> {
  const files: string[] = [];
  const links: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (SKIPPED.has(entry.name) || (folder === '' && SKIPPED_AT_ROOT.has(entry.name))) continue;
      if (join(root, path) === ignored) continue;
      if (entry.isDirectory()) await visit(path);
      else if (entry.isSymbolicLink()) links.push(path);
      else if ((await lstat(join(root, path))).isFile()) files.push(path);
    }
  };
  await visit('');
  return { files: files.sort(), links };
}

class Planner {
  readonly notes = new Notes();
  readonly #files: readonly string[];
  readonly #sources: ReadonlyMap<string, string>;
  readonly #oldModels: OldModelsFile | undefined;
  readonly #modules: OldModules;
  readonly #config: OldConfig;
  readonly #models: Map<string, OldModel>;
  readonly #texts = new Map<string, string>();
  /** Names that files import from the old models and that are neither models nor types of the context. */
  readonly #otherModels = new Set<string>();

  constructor(
    yaml: OldYaml,
    files: readonly string[],
    sources: ReadonlyMap<string, string>,
    oldModels: string | undefined,
  ) {
    this.#files = files;
    this.#sources = sources;
    this.#oldModels = oldModels === undefined ? undefined : new OldModelsFile(oldModels);
    this.#modules = new OldModules(files);
    this.#config = readOldConfig(yaml.values);
    this.#models = readYamlModels({
      yaml,
      notes: this.notes,
      generatedType: (model, field, names) => this.#oldModels?.fieldOf(model, field, names),
    });
  }

  plan(): MigratedProject {
    this.#addTypedModels();
    const found = this.#config.functions.map((described) => ({ described, from: this.#findFile(described) }));
    for (const { described, from } of found)
      if (from !== undefined)
        this.#modules.move(from, functionPath(described.integration, described.kind, described.name));
    const functions = found.map(({ described, from }) => this.#turn(described, from));
    this.#noteCalls(functions);
    const turned = new Set(functions.flatMap(({ state, from }) => (state === 'turned' && from ? [from] : [])));
    const used = new Set(functions.flatMap(({ from }) => (from === undefined ? [] : [from])));
    const copied: string[] = [];
    for (const path of this.#files) {
      if (used.has(path) || (REPLACED.has(path) && path !== 'index.ts')) continue;
      const text = this.#sources.get(path);
      if (text === undefined) copied.push(path);
      else this.#texts.set(path === 'index.ts' ? 'old-index.ts' : path, this.#turnOther(path, text, turned));
    }
    if (this.#files.includes('index.ts'))
      this.notes.left('old-index.ts', 'The project had an index.ts. It is called old-index.ts now.');
    for (const path of this.#config.unknown)
      this.notes.left('nango.yaml', `The setting ${path} is unknown and was left out.`);
    this.#writeModels();
    this.#texts.set('index.ts', this.#writeIndex(functions));
    return {
      functions,
      models: this.#models.size,
      texts: this.#texts,
      copied,
      notes: this.notes.list(),
      hasTests: [...this.#texts.keys()].some((path) => path.endsWith('.test.ts')),
    };
  }

  /** Models that nango.yaml names without a schema, when a person declared them in `models.ts`. */
  #addTypedModels(): void {
    const isKnown = (name: string): boolean => this.#models.has(name);
    const named = this.#config.functions
      .flatMap(({ input, output }) => [input, ...output])
      .map((type) => String(type ?? ''));
    const waiting = named.flatMap((type) => type.match(/[A-Za-z_$][\w$]*/g) ?? []);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (isKnown(name)) continue;
      const onUnknown = (text: string): void =>
        this.notes.add('models.ts', `${name} contains the type ${text}, which has no schema: any value fits.`);
      const isModel = (other: string): boolean =>
        isKnown(other) || this.#oldModels?.shapeOf(other, EVERY) !== undefined;
      const shape = this.#oldModels?.shapeOf(name, { isModel, onUnknown });
      if (!shape) continue;
      this.#models.set(name, { name, shape, extended: [], remarks: [] });
      waiting.push(...modelsIn(shape));
    }
  }

  #findFile({ integration, kind, name }: OldFunction): string | undefined {
    const script =
      kind === 'on-event'
        ? name.replace(/-(?:post-connection-creation|pre-connection-deletion|validate-connection)$/, '')
        : name;
    const candidates = [name, script].flatMap((one) => [
      ...OLD_FOLDERS[kind].map((folder) => `${integration}/${folder}/${one}.ts`),
      ...OLD_FOLDERS[kind].map((folder) => `${folder}/${one}.ts`),
      `${integration}/${one}.ts`,
      `${one}.ts`,
    ]);
    return candidates.find((path) => this.#sources.has(path) && !REPLACED.has(path));
  }

  #turn(described: OldFunction, from: string | undefined): MigratedFunction {
    const { integration, kind: type, name } = described;
    const path = functionPath(integration, type, name);
    const result = { integration, type, name, path, from };
    const text = from === undefined ? undefined : this.#sources.get(from);
    if (from === undefined || text === undefined) {
      const others = [...this.#sources.keys()].filter((one) => one.endsWith(`/${name}.ts`));
      const hint = others.length > 0 ? ` Is ${others.join(' or ')} meant? Then rename its folder.` : '';
      this.notes.left(
        path,
        `nango.yaml names the ${type} ${name} of ${integration}, but there is no file of it.${hint}`,
      );
      return { ...result, state: 'missing' };
    }
    const located = locateFunction(path);
    if (!located.ok) this.notes.left(path, located.diagnostic.message);
    const turned = turnFunction({
      described,
      text,
      from,
      place: path,
      modules: this.#modules,
      models: this.#models,
      notes: this.notes,
      importedNames: this.#importedFrom(from),
      onOtherModel: (one) => this.#otherModels.add(one),
    });
    this.#texts.set(path, this.#withModuleComments(path, turned.text));
    return { ...result, state: turned.isTurned ? 'turned' : 'left' };
  }

  /** A function file cannot be used by another one: its code would be bundled with its definition. */
  #noteCalls(functions: readonly MigratedFunction[]): void {
    const places = new Map(functions.flatMap(({ from, path }) => (from === undefined ? [] : [[from, path] as const])));
    for (const { from, path } of functions) {
      const text = from === undefined ? undefined : this.#sources.get(from);
      if (from === undefined || text === undefined) continue;
      for (const statement of new SourceFile(from, text).program.body) {
        if (statement.type !== 'ImportDeclaration') continue;
        const used = places.get(this.#modules.find(from, statement.source.value) ?? '');
        const hasDefault = statement.specifiers.some(({ type }) => type === 'ImportDefaultSpecifier');
        if (used === undefined || !hasDefault) continue;
        const message = `It uses the function ${used}. Move what both need into a file of its own, or call nango.triggerAction().`;
        this.notes.left(path, message);
        this.#texts.set(path, noteComment(message) + (this.#texts.get(path) ?? ''));
      }
    }
  }

  /** Names that files, other than tests, import from a file. */
  #importedFrom(path: string): Set<string> {
    const names = new Set<string>();
    for (const [importer, text] of this.#sources) {
      if (importer.endsWith('.test.ts') || !/\bimport\b/.test(text)) continue;
      for (const statement of new SourceFile(importer, text).program.body) {
        if (statement.type !== 'ImportDeclaration') continue;
        if (this.#modules.find(importer, statement.source.value) !== path) continue;
        for (const one of statement.specifiers)
          if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier') names.add(one.imported.name);
      }
    }
    return names;
  }

  /** A file that is no function of nango.yaml: helpers, mappers, types, tests. */
  #turnOther(path: string, text: string, turned: ReadonlySet<string>): string {
    const file = new SourceFile(path, text);
    const [syntaxError] = file.syntaxErrors;
    if (syntaxError) {
      this.notes.left(path, `It cannot be read: ${syntaxError.message} (line ${syntaxError.line}).`);
      return text;
    }
    const edits = new TextEdits(text);
    const modules = this.#modules;
    turnUses({ file, from: path, edits, modules, isTurned: (one) => turned.has(one) });
    changeImports({
      file,
      from: path,
      place: path,
      edits,
      modules,
      models: this.#models,
      onOther: (name) => this.#otherModels.add(name),
    });
    const changed = edits.toString();
    if (!isSourceFileName(path)) return changed;
    const [, folder] = path.split('/');
    if (
      !Object.values(OLD_FOLDERS)
        .flat()
        .includes(folder ?? '') ||
      findDefaultExport(file).kind !== 'function'
    )
      return this.#withModuleComments(path, changed);
    const message = 'nango.yaml does not name it, so it did not run. It was left as it was.';
    this.notes.left(path, message);
    return noteComment(message) + changed;
  }

  /** Marks imports of modules that functions cannot use. */
  #withModuleComments(path: string, text: string): string {
    const file = new SourceFile(path, text);
    const edits = new TextEdits(text);
    const lines = text.split('\n');
    for (const { line, message } of checkImports(file)) {
      const at = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
      edits.insert(at, noteComment(message));
      this.notes.left(path, message);
    }
    return edits.toString();
  }

  #writeModels(): void {
    const kept = this.#oldModels?.keep(this.#otherModels, this.#models, this.notes) ?? {
      imports: [],
      declarations: [],
    };
    if (!this.#oldModels)
      for (const name of this.#otherModels)
        if (name !== '*')
          this.notes.left('models.ts', `"${name}" is imported from the models, but nango.yaml does not contain it.`);
    const exportsSdk = this.#otherModels.has('*');
    if (this.#models.size === 0 && kept.declarations.length === 0 && !exportsSdk) return;
    const comments = this.notes
      .list()
      .flatMap(({ file, message }) => (file === 'models.ts' ? [noteComment(message)] : []))
      .join('');
    this.#texts.set('models.ts', writeModelsFile({ models: this.#models, kept, exportsSdk, comments }));
  }

  #writeIndex(functions: readonly MigratedFunction[]): string {
    const providers = [...this.#config.providers].map(
      ([integration, provider]) => `// The integration "${integration}" is one of the provider "${provider}".\n`,
    );
    const paths = functions.filter(({ state }) => state !== 'missing').map(({ path }) => path);
    const imports = [...new Set(paths)].sort().map((path) => `import './${path.replace(/\.ts$/, '.js')}';\n`);
    return ['// Every function of the project, one import each.\n', ...providers, ...imports].join('');
  }
}

const EVERY = { isModel: () => true, onUnknown: () => {} };

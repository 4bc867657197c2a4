import { extname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild';
import { stemOf } from './dependency-graph.ts';

export interface WorkspacePluginOptions {
  root: string;
  /** Resolves to the text of a file for the bundle; undefined when it cannot be read. */
  load: (path: string) => Promise<string | undefined>;
  /** Called for every relative import, found or not, with an absolute path without extension. */
  onImport: (stem: string) => void;
}

/** Replaces the SDK module inside bundles, so that it need not exist at run time. */
const DEFINERS = `
export const createSync = (props) => ({ type: 'sync', ...props });
export const createAction = (props) => ({ type: 'action', ...props });
export const createOnEvent = (props) => ({ type: 'onEvent', ...props });
`;

/** Marks our own calls of esbuild's resolver, so that the plugin does not handle them again. */
const RESOLVING = Symbol('resolving');

/** Gives esbuild access to the files of the workspace and to no other files. */
export function workspacePlugin({ root, load, onImport }: WorkspacePluginOptions): Plugin {
  return {
    name: 'homeport-workspace',
    setup(build) {
      build.onResolve({ filter: /^(?:nango|homeport)$/ }, () => ({
        path: 'definers',
        namespace: 'homeport',
        sideEffects: false,
      }));
      build.onLoad({ filter: /.*/, namespace: 'homeport' }, () => ({ contents: DEFINERS, loader: 'js' }));
      build.onResolve({ filter: /^\.\.?(?:\/|$)/ }, async (args) => {
        onImport(stemOf(resolve(args.resolveDir, args.path)));
        return await resolveInside(build, root, args);
      });
      build.onResolve({ filter: /^[^.]/ }, ({ path, kind, pluginData }) => {
        if (pluginData === RESOLVING) return undefined;
        return kind === 'entry-point' ? { path } : { path, external: true };
      });
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const contents = await load(path);
        if (contents === undefined) return { errors: [{ text: 'The file cannot be read.' }] };
        return { contents: withoutMapPath(contents), loader: loaderOf(path) };
      });
    },
  };
}

async function resolveInside(build: PluginBuild, root: string, args: OnResolveArgs): Promise<OnResolveResult> {
  const { importer, kind } = args;
  // Resolved from the root with a full path, because the folder of a file that is not on disk need not exist.
  const path = resolve(args.resolveDir, args.path);
  const resolved = await build.resolve(path, { importer, resolveDir: root, kind, pluginData: RESOLVING });
  if (resolved.errors.length > 0) return { errors: [{ text: `"${args.path}" cannot be found.` }] };
  if (isInside(root, resolved.path)) return { path: resolved.path, sideEffects: resolved.sideEffects };
  const text = `"${args.path}" leads out of the functions folder. Functions may import files of their folder only.`;
  return { errors: [{ text, detail: 'disallowed_import' }] };
}

function isInside(root: string, path: string): boolean {
  const inner = relative(root, path);
  return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
}

/** Removes source map comments, because the bundler would read the named file from anywhere on the disk. */
function withoutMapPath(text: string): string {
  return text.replace(/^([ \t]*)\/\/([#@])[ \t]*sourceMappingURL=(?!data:).*$/gm, '$1//$2 source map left out');
}

function loaderOf(path: string): NonNullable<OnLoadResult['loader']> {
  const kind = extname(path).replace(/^\.[cm]?/, '');
  return kind === 'tsx' || kind === 'jsx' || kind === 'js' ? kind : 'ts';
}

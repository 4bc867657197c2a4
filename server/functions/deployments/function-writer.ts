import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFunctionFolder } from '../../../functions/compiler/discovery.ts';
import { type FunctionKind, functionPath, locateFunction } from '../../../functions/compiler/function-path.ts';
import { addToIndex } from '../../../functions/compiler/index-entries.ts';
import { newFunction } from '../../../functions/compiler/new-function.ts';
import type { Integration } from '../../integrations/integration.ts';
import { readInside, writeInside } from '../../platform/lib/files-inside.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeNewFile } from '../../platform/lib/write-new-file.ts';
import type { DeployedFunction } from './deployed-function.ts';
import type { DeploymentsService } from './deployments.service.ts';
import { type FunctionPromptFacts, functionPrompt } from './function-prompt.ts';

/** A function that does not exist yet. */
export interface NewFunctionName {
  integration: Pick<Integration, 'environmentId' | 'provider' | 'uniqueKey'>;
  type: FunctionKind;
  name: string;
}

/** A file that can be written, and why not, if so. */
export interface FunctionDraft {
  /** Path below the workspace. */
  file: string;
  /** Path on this computer. */
  path: string;
  code: string;
  problem: string | null;
}

/** A file that a person agreed to. */
export interface ProvenFile {
  /** Below the workspace. */
  path: string;
  code: string;
  /** The text that it replaces; undefined for a new file. */
  replaces: string | undefined;
}

export type FunctionWriter = ReturnType<typeof createFunctionWriter>;

/** Writes files of functions into the workspace, where saving deploys them: new ones, and former versions. */
export function createFunctionWriter({
  workspace,
  environmentId: ownEnvironmentId,
  deployments,
}: {
  workspace: string;
  /** The environment that the workspace belongs to. */
  environmentId(): number;
  deployments: Pick<DeploymentsService, 'find' | 'list' | 'readSource' | 'readVersion' | 'keepReplaced' | 'workspace'>;
}) {
  /** The file that `create` would write. */
  async function draftOf(of: NewFunctionName): Promise<FunctionDraft> {
    const { integration, name, type } = of;
    const file = functionPath(integration.uniqueKey, type, name);
    const path = join(workspace, file);
    return { file, path, code: newFunction(type, name), problem: (await findProblem(of, file)) ?? null };
  }

  async function findProblem({ integration, name, type }: NewFunctionName, file: string): Promise<string | undefined> {
    const { environmentId, uniqueKey } = integration;
    if (environmentId !== ownEnvironmentId()) return OTHER_ENVIRONMENT;
    if (!isFunctionFolder(uniqueKey))
      return `"${uniqueKey}" cannot be the name of a folder with functions. Give the integration another key.`;
    const located = locateFunction(file);
    if (!located.ok) return located.diagnostic.message;
    if ((await readIfExists(join(workspace, file))) !== undefined) return existing(file);
    const known = await deployments.find(environmentId, uniqueKey, type, name);
    if (known?.origin === 'workspace')
      return `The file of ${name} is missing. Bring it back, restore one of its versions, or choose another name.`;
    if (known) return `${name} was deployed over the API already. Choose another name.`;
    return undefined;
  }

  function requireOwnEnvironment(environmentId: number): void {
    if (environmentId !== ownEnvironmentId()) throw new HomeportError('conflict', OTHER_ENVIRONMENT);
  }

  return {
    draft: draftOf,
    /** What an agent needs to know to write the function. */
    async prompt(of: NewFunctionName, provider: Pick<FunctionPromptFacts, 'entry' | 'scopes'>): Promise<string> {
      const { environmentId, uniqueKey } = of.integration;
      const functions = await deployments.list(environmentId, uniqueKey);
      return functionPrompt({ ...of, ...provider, ...(await draftOf(of)), functions });
    },
    /**
     * Writes the file of a new function, by default the one that `homeport create` writes too. Throws `conflict`;
     * overwrites nothing.
     */
    async create(of: NewFunctionName, text?: string): Promise<FunctionDraft> {
      const draft = await draftOf(of);
      const { file, problem } = draft;
      const code = text ?? draft.code;
      if (problem !== null) throw new HomeportError('conflict', problem);
      if (!(await writeNewFile(workspace, file, code))) throw new HomeportError('conflict', existing(file));
      await addToIndex(workspace, file);
      return draft;
    },
    /** The text of a file of the workspace; undefined without one. Throws as `readInside`. */
    readPresent: (path: string): Promise<string | undefined> => readInside(workspace, path),
    /**
     * Writes the text that a person agreed to, and resolves when it is live. A file that never went live is kept among the
     * versions. Throws `conflict` when the file is not `replaces` any more.
     */
    async writeProven({ code, path, replaces }: ProvenFile, live: DeployedFunction | undefined): Promise<void> {
      const present = await readInside(workspace, path);
      if (present !== replaces)
        throw new HomeportError('conflict', `${path} was changed on the disk meanwhile. Nothing was deployed.`);
      if (live && present !== undefined && present !== (await deployments.readSource(live)))
        await deployments.keepReplaced(live, present);
      await writeInside(workspace, path, code);
      if (present === undefined) await addToIndex(workspace, path);
      await deployments.workspace.applySaved([path]);
    },
    /** Puts back what `writeProven` replaced, unless somebody changed the file since. */
    async takeBack({ code, path, replaces }: ProvenFile): Promise<void> {
      if ((await readInside(workspace, path)) !== code) return;
      if (replaces === undefined) await rm(join(workspace, path));
      else await writeInside(workspace, path, replaces);
      await deployments.workspace.applySaved([path]);
    },
    /** The hash of the file on the disk; null when there is none. `restore` replaces only the file that has this hash. */
    async fileHash({ origin, path }: DeployedFunction): Promise<string | null> {
      const text = origin === 'workspace' ? await readIfExists(join(workspace, path)) : undefined;
      return text === undefined ? null : hashOf(text);
    },
    /**
     * Writes a former version into the file of the function. A file that never went live is kept among the versions, so
     * nothing is lost. Throws `not_found` for a version that is no longer kept, and `conflict` when the file is not the
     * one with the hash `replaces` any more.
     */
    async restore(deployed: DeployedFunction, versionId: number, replaces: string | null): Promise<void> {
      requireOwnEnvironment(deployed.environmentId);
      if (deployed.origin !== 'workspace')
        throw new HomeportError(
          'conflict',
          'This function was deployed over the API and has no file here. Deploy the former version from where it came.',
        );
      const code = await deployments.readVersion(deployed, versionId);
      if (code === undefined)
        throw new HomeportError('not_found', 'This version is no longer kept. Reload the list of versions.');
      const present = await readIfExists(join(workspace, deployed.path));
      if ((present === undefined ? null : hashOf(present)) !== replaces)
        throw new HomeportError('conflict', `${deployed.path} was changed on the disk since you opened it.`);
      if (present === undefined) {
        if (!(await writeNewFile(workspace, deployed.path, code)))
          throw new HomeportError('conflict', existing(deployed.path));
        return;
      }
      if (present !== (await deployments.readSource(deployed))) await deployments.keepReplaced(deployed, present);
      await writeFile(join(workspace, deployed.path), code);
    },
  };
}

const OTHER_ENVIRONMENT =
  'The functions folder belongs to another environment. Write the function there, then deploy it to this one.';

const existing = (file: string): string => `${file} exists already. Choose another name, or edit it.`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

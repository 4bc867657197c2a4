import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { API_TYPES_FILE, UNTYPED_SDK } from '../../../functions/compiler/api-types-file.ts';
import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { createDescriptionsService } from '../../integrations/descriptions/descriptions.service.ts';
import {
  type DescribedOperation,
  listOperations,
  objectOf,
  textOf,
} from '../../integrations/descriptions/operations.ts';
import { type FunctionPlan, planFunction } from '../../integrations/descriptions/plan-function.ts';
import type { Paging } from '../../integrations/descriptions/propose-paging.ts';
import {
  type Description,
  describedApi,
  type GivenDescription,
} from '../../integrations/descriptions/read-description.ts';
import {
  type FunctionWish,
  type WrittenFunction,
  writeFunction,
} from '../../integrations/descriptions/write-function.ts';
import { typesOrigin, writeTypes } from '../../integrations/descriptions/write-types.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeNewFile, writeProjectFile } from '../../platform/lib/write-new-file.ts';
import { fixturePath } from '../dry-run/fixture-files.ts';
import { type EditorTypes, writeEditorFiles } from './editor-files.ts';
import type { FunctionWriter, NewFunctionName } from './function-writer.ts';

/** A large description takes a second to read: it is kept from the choice of operations until they are written. */
const KEPT_MS = 600_000;

/** The description that a person saw, and where it is for the case that it is no longer kept. */
export interface SeenDescription extends GivenDescription {
  hash: string;
}

/** A function that was not written yet. */
interface Candidate {
  of: NewFunctionName;
  written: WrittenFunction;
  file: string;
  problem: string | null;
}

export type DescribedFunctions = ReturnType<typeof createDescribedFunctions>;

/** Writes functions from operations of API descriptions into the functions folder, as `homeport create --from` does. */
export function createDescribedFunctions({
  catalog,
  clock,
  editorTypes,
  functionWriter,
  http,
  workspace,
}: {
  catalog: { find(name: string): ProviderEntry | undefined };
  clock: Clock;
  editorTypes: EditorTypes;
  functionWriter: Pick<FunctionWriter, 'create' | 'draft'>;
  http: Pick<OutboundHttp, 'request'>;
  workspace: string;
}) {
  const descriptions = createDescriptionsService({ clock, http });
  const kept = new LRUCache<string, Description>({ max: 1, ttl: KEPT_MS, ttlAutopurge: true, updateAgeOnGet: true });

  async function read(given: GivenDescription, signal: AbortSignal): Promise<Description> {
    const description = await descriptions.read(describedApi(given), signal);
    kept.set(description.hash, description);
    return description;
  }

  async function reopen(seen: SeenDescription, signal: AbortSignal): Promise<Description> {
    const atHand = kept.get(seen.hash);
    if (atHand) return atHand;
    if (seen.address === undefined && seen.text === undefined)
      throw new HomeportError('conflict', 'The API description is no longer at hand. Read it again.');
    const description = await read(seen, signal);
    if (description.hash === seen.hash) return description;
    throw new HomeportError('conflict', 'The API description has changed since you read it. Read it again.');
  }

  const typesPath = ({ uniqueKey }: Pick<Integration, 'uniqueKey'>): string => `${uniqueKey}/${API_TYPES_FILE}`;

  async function candidates(
    integration: Integration,
    description: Description,
    wishes: FunctionWish[],
  ): Promise<Candidate[]> {
    const found: Candidate[] = [];
    for (const wish of wishes) {
      const written = writeFunction(description, wish);
      const of = { integration, type: written.kind, name: written.name };
      const { file, problem } = await functionWriter.draft(of);
      const isTwice = found.some((one) => one.file === file);
      found.push({
        of,
        written,
        file,
        problem: isTwice ? `Two of the chosen operations would be ${file}. Give one of them another name.` : problem,
      });
    }
    return found;
  }

  return {
    /** The address of the description: that of the written types, else that of the provider's entry. */
    async findAddress(integration: Integration): Promise<string | undefined> {
      const origin = typesOrigin(await readIfExists(join(workspace, typesPath(integration))));
      if (origin && /^https?:/i.test(origin.source)) return origin.source;
      return catalog.find(integration.provider)?.api_description_url;
    },
    /** The operations of a description, with what each would become. Throws `invalid_body` and `url_param_err`. */
    async read(given: GivenDescription, signal: AbortSignal) {
      const description = await read(given, signal);
      return {
        title: textOf(objectOf(description.document['info'])['title']),
        hash: description.hash,
        operations: listOperations(description).map((operation) =>
          viewOperation(operation, planFunction(description, operation)),
        ),
      };
    },
    /** What would be written, and why a file cannot be. */
    async preview(integration: Integration, seen: SeenDescription, wishes: FunctionWish[], signal: AbortSignal) {
      const found = await candidates(integration, await reopen(seen, signal), wishes);
      return found.map((one) => ({ ...viewCandidate(one), problem: one.problem }));
    },
    /** Writes all of them, or throws `conflict` and writes none. */
    async write(
      integration: Integration,
      seen: SeenDescription,
      { operations, withTypes }: { operations: FunctionWish[]; withTypes: boolean },
      signal: AbortSignal,
    ) {
      const description = await reopen(seen, signal);
      const found = await candidates(integration, description, operations);
      const problem = found.find((one) => one.problem !== null)?.problem;
      if (problem) throw new HomeportError('conflict', problem);
      // Before the functions, whose types are checked as soon as they are there.
      const types = withTypes ? typesPath(integration) : undefined;
      if (types) {
        const source = seen.address ?? seen.file ?? 'description';
        await writeProjectFile(workspace, types, writeTypes(description, { sdk: UNTYPED_SDK, source }));
        await writeEditorFiles(workspace, integration.uniqueKey, editorTypes);
      }
      for (const { of, written } of found) {
        if (written.fixture)
          await writeNewFile(workspace, recordingPath(of), `${JSON.stringify(written.fixture, null, 2)}\n`);
        await functionWriter.create(of, written.source);
      }
      return { functions: found.map(viewCandidate), types: types ?? null };
    },
  };
}

const recordingPath = ({ integration, name }: NewFunctionName): string =>
  fixturePath({ integration: integration.uniqueKey, name });

function viewCandidate({ file, of, written }: Candidate) {
  const { fixture, kind, name, notes, source } = written;
  return { type: kind, name, file, code: source, notes, recording: fixture ? recordingPath(of) : null };
}

function viewOperation({ isDeprecated, method, path, summary }: DescribedOperation, plan: FunctionPlan) {
  const { kind, list = null, name, notes } = plan;
  const sync = plan.kind === 'sync' ? plan : undefined;
  return {
    operation: `${method} ${path}`,
    method,
    path,
    summary: summary.split('\n')[0]?.slice(0, 200) ?? '',
    isDeprecated,
    kind,
    name,
    list,
    paging: sync?.paging ? pagingText(sync.paging) : null,
    idField: sync?.idField ?? null,
    since: sync?.since?.name ?? null,
    notes,
  };
}

/** How a list is paged, by the names of the API. */
function pagingText(paging: Paging): string {
  if (paging['type'] === 'cursor')
    return `${paging['cursor_name_in_request']} from ${paging['cursor_path_in_response']}`;
  if (paging['type'] === 'offset') return String(paging['offset_name_in_request']);
  return String(paging['link_path_in_response_body'] ?? 'the header Link');
}

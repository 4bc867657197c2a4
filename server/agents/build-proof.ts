import type { DraftProof } from '../functions/drafts.service.ts';

/** The proof as a person reads it before answering. */
export function viewProof(proof: DraftProof) {
  const { codeHash, connectionId, difference, held, isNew, newHosts, newScopes, path, records } = proof;
  return {
    path,
    connection_id: connectionId,
    is_new: isNew,
    proof: { code_hash: codeHash, compiles: true, types_are_clean: true, dry_run: 'passed', replay: 'passed' },
    writes_held_back: viewWrites(held),
    records_that_change: records,
    new_scopes: newScopes,
    new_hosts: newHosts,
    difference: difference === '' ? [] : difference.split('\n'),
  };
}

export function viewWrites(held: DraftProof['held']) {
  return held.map(({ body, hadAnswer, method, path }) => ({
    method,
    path,
    ...(body === undefined ? {} : { body }),
    answered_by: hadAnswer ? 'the agent' : 'an empty object',
  }));
}

/** Why a person decides, in sentences that stay the same for the same proof. */
export function reasonsOf(proof: DraftProof): string[] {
  const { abilities, codeHash, connectionId, held, isNew, newHosts, newScopes, path, records } = proof;
  const changes = records.map(
    ({ added, deleted, model, updated }) => `${model}: ${added} saved, ${updated} updated, ${deleted} deleted`,
  );
  return [
    `An agent wants to ${isNew ? 'deploy new code' : 'replace live code'}: ${path}, ${codeHash.slice(0, 12)}.`,
    `It compiles, its types are clean, and a dry run and a replay with the connection ${JSON.stringify(connectionId)} passed.`,
    ...(held.length === 0
      ? []
      : [`The dry run held back ${held.length === 1 ? 'one write' : `${held.length} writes`}.`]),
    ...(changes.length === 0 ? [] : [`Records that would change: ${changes.join('; ')}.`]),
    ...(newScopes.length === 0 ? [] : [`New scopes: ${newScopes.join(', ')}.`]),
    ...(newHosts.length === 0 ? [] : [`New hosts in the code: ${newHosts.join(', ')}.`]),
    ...abilities,
  ];
}

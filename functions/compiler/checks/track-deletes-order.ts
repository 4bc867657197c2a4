import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts, NangoCall } from '../source-facts.ts';
import { stringLiteral } from '../syntax.ts';

/**
 * For each model named by a literal text: one start, one end after it, and every batch call of the model between them.
 */
export function checkTrackDeletesOrder(
  { file }: FileFacts,
  calls: NangoCall[],
  batches: NangoCall[],
): CompileDiagnostic[] {
  const starts = byModel(
    calls.filter(({ method }) => method === 'trackDeletesStart'),
    0,
  );
  const ends = byModel(
    calls.filter(({ method }) => method === 'trackDeletesEnd'),
    0,
  );
  const saved = byModel(batches, 1);
  const problem = ({ call }: NangoCall, message: string) => file.diagnostic('track_deletes_order', message, call.start);

  return [...new Set([...starts.keys(), ...ends.keys()])].flatMap((model) =>
    problemsOf(model, starts.get(model) ?? [], ends.get(model) ?? [], saved.get(model) ?? []).map(({ at, text }) =>
      problem(at, text),
    ),
  );
}

interface Problem {
  at: NangoCall;
  text: string;
}

function problemsOf(model: string, starts: NangoCall[], ends: NangoCall[], saved: NangoCall[]): Problem[] {
  const [start, ...moreStarts] = starts;
  const [end, ...moreEnds] = ends;
  const problems: Problem[] = [
    ...moreStarts.map((at) => ({ at, text: `nango.trackDeletesStart('${model}') may be called only once.` })),
    ...moreEnds.map((at) => ({ at, text: `nango.trackDeletesEnd('${model}') may be called only once.` })),
  ];
  if (start && !end) problems.push({ at: start, text: `nango.trackDeletesEnd('${model}') is missing.` });
  if (end && !start) problems.push({ at: end, text: `nango.trackDeletesStart('${model}') is missing.` });
  if (start && end && start.line > end.line) {
    problems.push({
      at: start,
      text: `nango.trackDeletesStart('${model}') must be above nango.trackDeletesEnd('${model}').`,
    });
  }
  for (const at of saved) {
    if (start && at.line < start.line) {
      problems.push({ at, text: `nango.${at.method}() must be below nango.trackDeletesStart('${model}').` });
    }
    if (end && at.line > end.line) {
      problems.push({ at, text: `nango.${at.method}() must be above nango.trackDeletesEnd('${model}').` });
    }
  }
  return problems;
}

function byModel(calls: NangoCall[], argument: number): Map<string, NangoCall[]> {
  return Map.groupBy(
    calls.filter(({ call }) => stringLiteral(call.arguments[argument]) !== undefined),
    ({ call }) => stringLiteral(call.arguments[argument]) ?? '',
  );
}

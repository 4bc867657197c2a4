import { docsOfCode } from '../../lib/api-error.ts';

/** The code of a failure, as a link to what the documentation says about it. */
export function CodeLink({ code }: { code: string }) {
  const docs = docsOfCode(code);
  if (docs === undefined) return <code>{code}</code>;
  return (
    <a href={docs} title="What this error means">
      <code>{code}</code>
    </a>
  );
}

import { Anchor } from '@mantine/core';

/** An external link, named by its host. */
export function DocsLink({ url }: { url: string | null }) {
  if (url === null) return <span className="faint">None known</span>;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" fz="md">
      {new URL(url).host}
    </Anchor>
  );
}

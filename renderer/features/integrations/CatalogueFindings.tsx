import { Box, Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CatalogFinding } from '../../api/contract.ts';
import { catalogFindingsQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';

/** Errors and warnings of the workspace's provider files. */
export function CatalogueFindings() {
  const { data } = useQuery(catalogFindingsQueryOptions());
  const [isOpen, setOpen] = useState(false);
  if (!data || data.problems.length + data.warnings.length === 0) return null;
  const { problems, warnings } = data;
  const parts = [
    problems.length > 0 &&
      `${formatCount(problems.length, 'fault')} in your provider files: ${problems.length === 1 ? 'the entry is' : 'the entries are'} left out.`,
    warnings.length > 0 && `${formatCount(warnings.length, 'remark')} about entries that are in use.`,
  ];
  return (
    <>
      <Box px="var(--hp-gutter)" pb={12}>
        <Banner
          tone={problems.length > 0 ? 'bad' : 'warn'}
          actions={
            <Button size="xs" variant="default" onClick={() => setOpen(true)}>
              Show
            </Button>
          }
        >
          {parts.filter(Boolean).join(' ')}
        </Banner>
      </Box>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Your provider files" size={680}>
        <FindingList title="Left out" findings={problems} />
        <FindingList title="Unusual" findings={warnings} />
      </Modal>
    </>
  );
}

/** Findings with file and line; each links to the editor of the entry. */
function FindingList({ title, findings }: { title: string; findings: CatalogFinding[] }) {
  const env = useEnv();
  if (findings.length === 0) return null;
  return (
    <section style={{ paddingBottom: 16 }}>
      <h3 className="pb-4">{title}</h3>
      <ul>
        {findings.map((one) => (
          <li
            className="grid gap-12 line-below pt-4 pb-4"
            style={{ gridTemplateColumns: 'minmax(120px, auto) 1fr' }}
            key={`${one.file}:${one.line}:${one.keyPath}:${one.reason}`}
          >
            <code className="faint">
              {one.file}:{one.line}
            </code>
            <span>
              {one.provider !== '' && (
                <Link to={paths.providerEntry(env, one.provider)}>
                  <code>{[one.provider, one.keyPath].filter(Boolean).join('.')}</code>
                </Link>
              )}{' '}
              {one.reason}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

import { licences } from 'virtual:homeport-licences';
import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Meta } from '../../../api/contract.ts';
import { desktopDiagnosticsQueryOptions } from '../../../api/hub/desktop-settings.ts';
import { diagnosticsQueryOptions, metaQueryOptions } from '../../../api/hub/hub-queries.ts';
import { CopyRow } from '../../../components/CopyRow.tsx';
import { Fact, FactList } from '../../../components/FactList.tsx';
import { ErrorPanel } from '../../../components/page/ErrorPanel.tsx';
import { Section } from '../../../components/page/Section.tsx';
import { saveFile } from '../../../lib/save-file.ts';
import classes from '../EnvironmentSettings.module.css';

export function AboutSettings() {
  const { data: meta } = useQuery(metaQueryOptions());
  return (
    <>
      <Section title="Homeport">
        <FactList wide>
          <Fact label="Version">{meta && <CopyRow value={meta.version} label="Copy version" />}</Fact>
          <Fact label="Licence">Apache-2.0</Fact>
          <Fact label="API description">
            <a href="/openapi.json" target="_blank" rel="noreferrer">
              openapi.json
            </a>
          </Fact>
        </FactList>
      </Section>
      <Diagnostics />
      {meta && <Licences machine={meta.machine} />}
    </>
  );
}

/** The report is shown completely before it is saved: the file contains nothing else. */
function Diagnostics() {
  const [isWanted, setWanted] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({ ...diagnosticsQueryOptions(), enabled: isWanted });
  const shell = useQuery({ ...desktopDiagnosticsQueryOptions(), enabled: isWanted });
  const report = data &&
    shell.data && {
      fileName: data.fileName,
      parts: [
        ...data.parts.map(({ title, content }) => ({ title, text: JSON.stringify(content, undefined, 2) })),
        ...shell.data.map(({ name, text }) => ({ title: `Desktop app: ${name}`, text })),
      ],
    };
  const save = (): void => {
    if (!report) return;
    const text = report.parts.map((part) => `# ${part.title}\n\n${part.text}\n`).join('\n');
    saveFile(report.fileName, new Blob([text], { type: 'text/plain' }));
  };
  return (
    <Section
      title="Diagnostics"
      aside={
        report ? (
          <Button size="xs" variant="default" onClick={save}>
            Save report
          </Button>
        ) : (
          <Button size="xs" variant="default" loading={isFetching} onClick={() => setWanted(true)}>
            Make a report
          </Button>
        )
      }
    >
      <p className="soft pb-12">
        For a person who helps you: versions, counts, sizes and states. No secret, no address, no name and no content of
        yours is in it, and it stays on this computer until you send it.
      </p>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {report && (
        <section aria-label="Content of the report">
          {report.parts.map(({ title, text }) => (
            <details key={title} open className={`pb-12 ${classes['part']}`}>
              <summary>{title}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
              <pre className="scroll frame sunken" tabIndex={0} role="group" aria-label={title}>
                {text}
              </pre>
            </details>
          ))}
        </section>
      )}
    </Section>
  );
}

/** The pages are the same for all systems, so the packages of other ones are left out here. */
function Licences({ machine: { platform, arch } }: Pick<Meta, 'machine'>) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shipped = licences.filter(({ os = [platform], cpu = [arch] }) => os.includes(platform) && cpu.includes(arch));
  const found = shipped.filter(({ name, licence }) => `${name} ${licence}`.toLowerCase().includes(wanted));
  return (
    <Section title="Licences">
      <p className="soft pb-12">{`Homeport ships with ${shipped.length} packages of other authors.`}</p>
      <Stack gap={16}>
        <TextInput
          aria-label="Search packages"
          placeholder="Search by name or licence"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {found.length === 0 ? (
          <p className="faint">No package has this name or licence.</p>
        ) : (
          <ul
            className={`scroll frame ${classes['licences']}`}
            style={{ maxHeight: 360 }}
            aria-label="Packages"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
            tabIndex={0}
          >
            {found.map(({ name, version, licence }) => (
              <li className="grid gap-16 line-below" key={`${name}@${version}`}>
                <code className="cut">{name}</code>
                <span className="faint">{version}</span>
                <span>{licence}</span>
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Section>
  );
}

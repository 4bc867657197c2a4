import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { programChangeQueryOptions, useSetUpProgram } from '../../api/agents/agents-queries.ts';
import type { AgentProgramRow } from '../../api/contract.ts';
import { useEnv } from '../../api/use-env.ts';
import { AskingModal } from '../../components/notice/OpenModal.tsx';
import { describeError } from '../../lib/api-error.ts';
import classes from './SetUpProgram.module.css';

interface SetUpProgramProps {
  /** Undefined: the question is closed. */
  program: AgentProgramRow | undefined;
  onClose: () => void;
}

/** Shows what changes in the file of a program, writes it, and says what to do next. */
export function SetUpProgram({ program, onClose }: SetUpProgramProps) {
  const setUp = useSetUpProgram();
  const close = (): void => {
    onClose();
    setUp.reset();
  };
  return (
    <AskingModal
      opened={program !== undefined}
      isSaved={setUp.isSuccess}
      onClose={close}
      title={setUp.isSuccess ? `${program?.name} is set up` : `Set up ${program?.name ?? ''}`}
      size={560}
      withCloseButton={false}
    >
      {program && setUp.isSuccess && <Done program={program} backup={setUp.data.backup} onClose={close} />}
      {program && !setUp.isSuccess && (
        <Change
          program={program}
          isPending={setUp.isPending}
          error={setUp.error}
          onCancel={close}
          onWrite={() => setUp.mutate(program.id)}
        />
      )}
    </AskingModal>
  );
}

interface ChangeProps {
  program: AgentProgramRow;
  isPending: boolean;
  error: Error | null;
  onCancel: () => void;
  onWrite: () => void;
}

function Change({ program, isPending, error, onCancel, onWrite }: ChangeProps) {
  const change = useQuery(programChangeQueryOptions(useEnv(), program.id));
  const problem = error ?? change.error;
  return (
    <>
      <Text size="md" c="dimmed">
        {change.data?.isNew ? 'This file is made:' : 'Only these lines of its configuration change:'}
      </Text>
      <code className="breaks">{program.file}</code>
      {change.data && (
        <pre className={`scroll frame ${classes['lines']}`}>
          {change.data.removed.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat and never move
            <del className="bad" key={index}>{`- ${line}\n`}</del>
          ))}
          {change.data.added.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat and never move
            <ins data-tone="ok" key={index}>{`+ ${line}\n`}</ins>
          ))}
        </pre>
      )}
      <Text size="sm" role="alert" c="var(--hp-bad)" mih={20} pt={4}>
        {problem ? describeError(problem).message : ''}
      </Text>
      <Group justify="flex-end" gap={8} mt={8}>
        {program.link !== null && (
          <Button mr="auto" variant="subtle" component="a" href={program.link}>
            Let {program.name} do it
          </Button>
        )}
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button data-autofocus loading={isPending} disabled={!change.data} onClick={onWrite}>
          Write to file
        </Button>
      </Group>
    </>
  );
}

function Done({ program, backup, onClose }: { program: AgentProgramRow; backup: string | null; onClose: () => void }) {
  return (
    <>
      <Text size="md">{program.next}</Text>
      {backup !== null && (
        <Text size="sm" c="dimmed" pt={8}>
          The file as it was: <code className="breaks">{backup}</code>
        </Text>
      )}
      <Group justify="flex-end" mt={24}>
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </Group>
    </>
  );
}

import { Button, Switch, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNavigate } from 'react-router';
import type { EnvironmentColour, EnvironmentDetail } from '../../api/contract.ts';
import { useUpdateEnvironment } from '../../api/hub/environment-mutations.ts';
import { environmentQueryOptions } from '../../api/hub/hub-queries.ts';
import { OWN_ERROR } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { notifyDone } from '../../components/notice/notify.ts';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Section } from '../../components/page/Section.tsx';
import { describeError } from '../../lib/api-error.ts';
import { ENVIRONMENT_NAME, ENVIRONMENT_NAME_RULE } from '../../lib/environment-name.ts';
import { paths } from '../../lib/paths.ts';
import { CreateEnvironment } from './CreateEnvironment.tsx';
import classes from './EnvironmentSettings.module.css';

const COLOURS: EnvironmentColour[] = ['petrol', 'blue', 'violet', 'magenta', 'red', 'orange', 'green', 'grey'];

/** Name, colour and production flag of the environment. */
export function EnvironmentIdentity() {
  const env = useEnv();
  const { data, error, refetch } = useQuery(environmentQueryOptions(env));
  return (
    <div id="general" className={classes['anchor']}>
      {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data && <Identity environment={data} />}
    </div>
  );
}

function Identity({ environment }: { environment: EnvironmentDetail }) {
  const { name, canRename, isProduction } = environment;
  const navigate = useNavigate();
  const update = useUpdateEnvironment(name, OWN_ERROR);
  const colouring = useUpdateEnvironment(name);
  const confirm = useConfirm();
  const [isRenaming, renaming] = useDisclosure();
  const [isCopying, copying] = useDisclosure();
  const askProduction = (wish: boolean): void =>
    confirm.ask({
      title: wish ? `Make ${name} a production environment?` : `Stop treating ${name} as production?`,
      text: wish
        ? 'From then on, everything that deletes something here asks you to type a name.'
        : 'Everything that deletes something here then asks once, without typing a name.',
      action: wish ? 'Make it production' : 'No longer production',
      isHarmless: wish,
      run: async () => {
        await update.mutateAsync({ isProduction: wish });
        notifyDone(wish ? 'Production environment' : 'Ordinary environment');
      },
    });
  const setColour = (colour: EnvironmentColour | null): void => colouring.mutate({ colour });
  return (
    <Section
      title="General"
      aside={
        <Button size="xs" variant="default" onClick={copying.open}>
          Copy to a new environment
        </Button>
      }
    >
      <FactList wide>
        <Fact label="Name">
          <CopyRow value={name} label="Copy name" />
          {canRename && (
            <Button size="xs" variant="subtle" onClick={renaming.open}>
              Rename
            </Button>
          )}
        </Fact>
        <Fact label="CLI key variable">
          <CopyRow
            value={`NANGO_SECRET_KEY_${name.toUpperCase().replaceAll('-', '_')}`}
            label="Copy name of the variable"
          />
        </Fact>
        <Fact label="Colour">
          <Colours environment={environment} onChoose={setColour} />
        </Fact>
        <Fact label="Production">
          <Switch
            label={isProduction ? 'On. Deleting asks for the typed name' : 'Off. Deleting asks once, without the name'}
            aria-label="Production environment"
            checked={isProduction}
            disabled={!canRename}
            onChange={(event) => askProduction(event.currentTarget.checked)}
          />
        </Fact>
      </FactList>
      {!canRename && (
        <p className="faint small pt-8">{`${name} is always a production environment, and its name cannot be changed.`}</p>
      )}
      {confirm.dialog}
      {isRenaming && <RenameEnvironment name={name} onClose={renaming.close} />}
      {isCopying && (
        <CreateEnvironment
          copyOf={name}
          onClose={copying.close}
          onCreated={(created) => void navigate(paths.settings(created))}
        />
      )}
    </Section>
  );
}

function Colours({
  environment: { chosenColour, colour },
  onChoose,
}: {
  environment: EnvironmentDetail;
  onChoose: (colour: EnvironmentColour | null) => void;
}) {
  return (
    <span className="row wrap" role="group" aria-label="Colour of the bar at the top of the window">
      {COLOURS.map((one) => (
        <UnstyledButton
          key={one}
          className={`centred ${classes['colour']}`}
          style={{ background: `var(--hp-env-${one})` }}
          aria-label={one}
          aria-pressed={one === colour}
          onClick={() => onChoose(one)}
        >
          {one === colour && <IconCheck size={14} stroke={2.4} aria-hidden />}
        </UnstyledButton>
      ))}
      {chosenColour !== null && (
        <Button size="xs" variant="subtle" onClick={() => onChoose(null)}>
          Usual colour
        </Button>
      )}
    </span>
  );
}

function RenameEnvironment({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const update = useUpdateEnvironment(name, OWN_ERROR);
  const [next, setNext] = useState(name);
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ENVIRONMENT_NAME.test(next)) {
      setError(ENVIRONMENT_NAME_RULE);
      return;
    }
    void rename();
  };
  /** Continues when this dialog is gone: the page under the old name may notice the change first. */
  const rename = async (): Promise<void> => {
    try {
      await update.mutateAsync({ name: next });
    } catch (failure) {
      setError(describeError(failure).message);
      return;
    }
    // The dialog with the typed name is gone before the page is left.
    flushSync(onClose);
    notifyDone(`Renamed to ${next}`);
    void navigate(paths.settings(next), { replace: true });
  };
  return (
    <OpenModal onClose={onClose} title={`Rename ${name}`} size={440} withCloseButton={false}>
      <form onSubmit={submit} className="stack gap-16">
        <TextInput
          label="New name"
          data-autofocus
          spellCheck={false}
          autoComplete="off"
          value={next}
          error={error}
          onChange={(event) => {
            setNext(event.currentTarget.value);
            setError(undefined);
          }}
        />
        <p className="faint small pt-8">
          Keys do not change. Change everything that contains the name yourself: the <code>--env</code> of commands and
          webhook addresses that end in the name.
        </p>
        <FormActions
          action="Rename environment"
          isPending={update.isPending}
          isDisabled={next === name}
          onCancel={onClose}
        />
      </form>
    </OpenModal>
  );
}

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { OfferedOperation } from '../../api/contract.ts';
import {
  descriptionAddressQueryOptions,
  useWriteDescribed,
  type WantedOperation,
} from '../../api/functions/openapi-functions.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { DescriptionForm, type DescriptionPlace } from '../../components/form/DescriptionForm.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { ChosenOperations } from './ChosenOperations.tsx';
import { DescribedOperations, type ReadApi } from './DescribedOperations.tsx';
import classes from './OpenApiFunctions.module.css';
import { WrittenFunctions } from './WrittenFunctions.tsx';

/** Functions from operations of the integration's API description, each with a recorded run. */
export function OpenApiFunctions({ integration, integrationKey }: { integration: ReactNode; integrationKey: string }) {
  const env = useEnv();
  const known = useQuery(descriptionAddressQueryOptions(env, integrationKey));
  const read = useChange('POST /api/v1/integrations/:integrationKey/api-description', { ownError: true });
  const [place, setPlace] = useState<DescriptionPlace>({});
  const take = (body: DescriptionPlace): void => {
    setPlace(body);
    read.mutate({ params: { integrationKey }, body });
  };
  const isReady = integrationKey !== '' && known.data !== undefined;
  return (
    <div className="stack gap-16" style={{ padding: '16px var(--hp-gutter) 32px' }}>
      <div className={classes['source']}>
        {integration}
        {isReady && (
          <DescriptionForm
            key={integrationKey}
            description="Of an OpenAPI description, often openapi.json"
            initial={known.data}
            isReading={read.isPending}
            isRead={read.data !== undefined}
            onRead={take}
          />
        )}
      </div>
      {known.error && <ErrorPanel error={known.error} onRetry={() => void known.refetch()} />}
      {read.error && !read.isPending && <ErrorPanel error={read.error} />}
      {read.data && !read.isPending && (
        <Choice key={`${integrationKey} ${read.data.hash}`} {...{ integrationKey, place }} found={read.data} />
      )}
    </div>
  );
}

interface ChoiceProps {
  integrationKey: string;
  place: DescriptionPlace;
  found: ReadApi;
}

function Choice({ found, integrationKey, place }: ChoiceProps) {
  const { hash, operations } = found;
  const [chosen, setChosen] = useState<WantedOperation[]>([]);
  const [withTypes, setWithTypes] = useState(true);
  const write = useWriteDescribed(integrationKey);
  useUnsaved('New functions', chosen.length > 0 && write.data === undefined);
  const toggle = ({ kind, name, operation }: OfferedOperation): void =>
    setChosen((before) =>
      before.some((one) => one.operation === operation)
        ? before.filter((one) => one.operation !== operation)
        : [...before, { kind, name, operation }],
    );
  if (write.data)
    return (
      <WrittenFunctions
        {...{ integrationKey }}
        functions={write.data.functions}
        types={write.data.types}
        onMore={() => {
          setChosen([]);
          write.reset();
        }}
      />
    );
  return (
    <div className={classes['choice']}>
      <DescribedOperations found={found} chosen={chosen} onToggle={toggle} />
      <section className="card sunken" aria-label="Chosen operations">
        {chosen.length === 0 ? (
          <p className="soft" style={{ padding: 16 }}>
            Tick operations. What reads a list becomes a sync, everything else an action. You see the code before it is
            written.
          </p>
        ) : (
          <ChosenOperations
            {...{ chosen, setChosen, hash, integrationKey, operations }}
            address={place.address}
            types={{ withTypes, setWithTypes }}
            isWriting={write.isPending}
            error={write.isPending ? null : write.error}
            onWrite={() => write.mutate({ ...place, hash, operations: chosen, withTypes })}
          />
        )}
      </section>
    </div>
  );
}

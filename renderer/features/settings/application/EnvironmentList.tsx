import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { metaQueryOptions } from '../../../api/hub/hub-queries.ts';
import { useChange } from '../../../api/use-change.ts';
import { Section } from '../../../components/page/Section.tsx';
import { Tag } from '../../../components/tag/Tag.tsx';
import { paths } from '../../../lib/paths.ts';
import { modifierKey } from '../../../lib/platform.ts';
import { CreateEnvironment } from '../CreateEnvironment.tsx';
import classes from '../EnvironmentSettings.module.css';

/** Every environment, in the order of the switcher and of its keys. */
export function EnvironmentList() {
  const navigate = useNavigate();
  const environments = useQuery(metaQueryOptions()).data?.environments ?? [];
  const order = useChange('PUT /api/v1/environments/order');
  const [isCreating, creating] = useDisclosure();
  const names = environments.map(({ name }) => name);
  const move = (from: number, to: number): void => {
    const next = names.toSpliced(from, 1);
    next.splice(to, 0, names[from] ?? '');
    order.mutate({ body: { names: next } });
  };
  return (
    <Section
      title="Order"
      aside={
        <Button size="xs" variant="default" onClick={creating.open}>
          New environment
        </Button>
      }
    >
      <p className="soft pb-12">
        Of the switcher, and of the keys {modifierKey()} 1 to {modifierKey()} 9. A name opens the settings of the
        environment, where you can rename, colour and delete it.
      </p>
      <ol className={classes['order']} aria-label="Environments">
        {environments.map(({ name, colour, isProduction }, index) => (
          <li className="row line-below" key={name}>
            <span
              className="rigid"
              style={{ width: 8, height: 8, borderRadius: '50%', background: `var(--hp-env-${colour})` }}
            />
            <Link className="name grow" to={paths.settings(name)}>
              {name}
            </Link>
            {isProduction && <Tag>production</Tag>}
            <Move label={`Move ${name} up`} isDisabled={index === 0} onMove={() => move(index, index - 1)} isUp />
            <Move
              label={`Move ${name} down`}
              isDisabled={index === names.length - 1}
              onMove={() => move(index, index + 1)}
            />
          </li>
        ))}
      </ol>
      {isCreating && (
        <CreateEnvironment onClose={creating.close} onCreated={(name) => void navigate(paths.settings(name))} />
      )}
    </Section>
  );
}

interface MoveProps {
  label: string;
  isDisabled: boolean;
  isUp?: boolean;
  onMove: () => void;
}

/** The button keeps the focus: at the end of the list it does nothing but is not removed. */
function Move({ label, isDisabled, isUp = false, onMove }: MoveProps) {
  const Icon = isUp ? IconArrowUp : IconArrowDown;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} data-disabled={isDisabled} onClick={() => !isDisabled && onMove()}>
        <Icon size={14} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

import { splitList } from '../lib/search-params.ts';
import { FilterChip } from './FilterChip.tsx';
import { ProviderLogo } from './ProviderLogo.tsx';
import { SearchBox } from './SearchBox.tsx';
import type { UrlState } from './use-url-state.ts';

interface UrlFilterProps {
  url: UrlState;
  /** Parameter of the address that holds the values, separated by commas. */
  name: string;
  label: string;
}

/** The search of a list, in the address. */
export function UrlSearch({ url, label }: Pick<UrlFilterProps, 'url' | 'label'>) {
  return (
    <SearchBox
      label={label}
      value={url.get('search') ?? ''}
      onChange={(search) => url.set({ search }, { replace: true })}
    />
  );
}

/** One filter of a list, in the address. */
export function UrlFilter({ url, name, label, options }: UrlFilterProps & Pick<ChipProps, 'options'>) {
  return (
    <FilterChip
      label={label}
      options={options}
      selected={splitList(url.get(name))}
      onChange={(values) => url.set({ [name]: values.join(',') })}
    />
  );
}

type ChipProps = React.ComponentProps<typeof FilterChip>;

/** A filter that links set and nobody chooses from a list: shown while it has values. */
export function UrlGivenFilter({ url, name, label }: UrlFilterProps) {
  const values = splitList(url.get(name));
  if (values.length === 0) return null;
  return <UrlFilter url={url} name={name} label={label} options={values.map((value) => ({ value, label: value }))} />;
}

interface IntegrationFilterProps {
  url: UrlState;
  integrations: ReadonlyArray<{ key: string; displayName: string; provider: string }>;
}

export function UrlIntegrationFilter({ url, integrations }: IntegrationFilterProps) {
  const options = integrations.map((one) => ({
    value: one.key,
    label: one.displayName,
    icon: <ProviderLogo provider={one.provider} name={one.displayName} />,
  }));
  return <UrlFilter url={url} name="integrations" label="Integration" options={options} />;
}

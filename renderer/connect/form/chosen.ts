import type { OfferedIntegration, OfferedProvider, OfferedWay } from '../../api/connect-api.ts';
import type { FormField } from './form-field.ts';

/** An integration that a person is about to connect. Its fields are created once, so that generated values stay the same. */
export interface Chosen {
  integration: OfferedIntegration;
  provider: OfferedProvider;
  fields: FormField[];
  /** How the person signs in, the usual way first. */
  ways: readonly OfferedWay[];
}

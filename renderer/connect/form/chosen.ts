import type { OfferedIntegration, OfferedProvider } from '../../api/connect-api.ts';
import type { FormField } from './form-field.ts';

/** An integration that a person is about to connect; its fields are made once, so that made values stay. */
export interface Chosen {
  integration: OfferedIntegration;
  provider: OfferedProvider;
  fields: FormField[];
}

import { z } from 'zod';
import { settingsAnswer } from '../api/answers/environment-answers.ts';
import { settingsBody, variables } from '../api/environment.ts';

/** As the public API has them (design.md 7.17); the values of variables are told one by one, by `POST /reveal`. */
export const environmentSettings = settingsAnswer.shape.data.extend({
  variables: z.array(z.object({ name: z.string() })),
});

/** A variable without a value keeps the one it has. */
export const updateSettingsBody = settingsBody.extend({ variables: variables(z.string().optional()).optional() });

export type EnvironmentSettingsAnswer = z.infer<typeof environmentSettings>;
export type UpdateSettings = z.input<typeof updateSettingsBody>;

import { z } from 'zod';

/** Field rules shared by many routes (http-api.md 1.5). */

const LETTERS_AND_DIGITS = 'Use only letters, digits, _ and -.';

export const providerName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/, LETTERS_AND_DIGITS)
  .max(255);
export const integrationId = z
  .string()
  .regex(/^[a-zA-Z0-9~:.@ _-]+$/, 'Use only letters, digits, spaces and ~ : . @ _ -')
  .max(255);
export const connectionId = z
  .string()
  .regex(
    /^[a-zA-Z0-9,.;:=+~[\]|@${}"'\\/_ -]+$/,
    `Use only letters, digits, spaces and , . ; : = + ~ [ ] | @ $ { } " ' \\ / _ -`,
  )
  .max(255);
export const functionName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]+$/, LETTERS_AND_DIGITS)
  .max(255);
export const modelName = z
  .string()
  .regex(/^[A-Z][a-zA-Z0-9_-]+$/, 'Begin with a capital letter; then use only letters, digits, _ and -.')
  .max(255);
export const environmentName = z
  .string()
  .regex(/^[a-z0-9_-]+$/, 'Use only small letters, digits, _ and -.')
  .max(255);
export const displayName = z.string().min(1).max(255);
export const uuid = z.uuid();
export const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'Must be an http or https address.');

/** Boolean of a query or header: true/1/yes/on/y/enabled and their opposites, in any case. */
export const stringBool = z.stringbool();

/** A query or body without members. */
export const empty = z.strictObject({});

export const tagKey = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_\-./]*$/, 'Begin the key with a letter; then use only letters, digits and _ - . /')
  .max(64);

export const MAX_TAGS = 10;
export const MAX_TAG_VALUE_LENGTH = 255;
const atMostTen = (value: object): boolean => Object.keys(value).length <= MAX_TAGS;
const TOO_MANY_TAGS = `At most ${MAX_TAGS} tags are allowed.`;

/** Like the schema library's rule, but the last label may have one letter. */
export const email = z
  .email({ pattern: /^(?!\.)(?!.*\.\.)([\w'+\-.]*)[\w+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]+$/ })
  .min(5);

/** Free key/value tags: at most 10; keys are lower-cased on save, values kept. */
export const tags = z.record(tagKey, z.string().min(1).max(MAX_TAG_VALUE_LENGTH)).superRefine((value, context) => {
  const keys = Object.keys(value);
  if (!atMostTen(value)) context.addIssue({ code: 'custom', message: TOO_MANY_TAGS });
  if (new Set(keys.map((key) => key.toLowerCase())).size < keys.length) {
    context.addIssue({ code: 'custom', message: 'Two tag keys differ only in case; keys are stored in lower case.' });
  }
  const address = Object.entries(value).find(([key]) => key.toLowerCase() === 'end_user_email')?.[1];
  if (address !== undefined && !email.safeParse(address).success) {
    context.addIssue({
      code: 'custom',
      message: 'The tag end_user_email must be an e-mail address.',
      path: ['end_user_email'],
    });
  }
});

export const endUser = z.strictObject({
  id: z.string().min(1).max(255),
  email: email.optional(),
  display_name: z.string().max(255).optional(),
  tags: z.record(tagKey, z.string().max(MAX_TAG_VALUE_LENGTH)).refine(atMostTen, TOO_MANY_TAGS).optional(),
});

/**
 * Address for the webhooks of one connection; `""` clears it. Local targets are allowed, the reference's own hosts are
 * refused.
 */
export const webhookUrlOverride = z.string().superRefine((value, context) => {
  if (value === '') return;
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol)) {
    context.addIssue({ code: 'invalid_format', format: 'url', message: 'Must be an http or https address.' });
  } else if (url.hostname === 'nango.dev' || url.hostname.endsWith('.nango.dev')) {
    context.addIssue({ code: 'custom', message: 'This host cannot receive webhooks.' });
  }
});

/** JSON object with any content. */
export const jsonObject = z.record(z.string(), z.unknown());

export type EndUserInput = z.infer<typeof endUser>;

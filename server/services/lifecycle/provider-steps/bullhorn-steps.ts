import type { PostConnectionStep } from './step-context.ts';

/** The login served to get the token and is kept nowhere. */
export const bullhornPostConnection: PostConnectionStep = async () => ({ username: undefined, password: undefined });

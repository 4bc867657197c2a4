/** A person with an account at the tracker, selectable on the consent page. */
export interface PracticePerson {
  id: string;
  login: string;
  name: string;
  email: string;
}

export const PRACTICE_PEOPLE: readonly PracticePerson[] = ['admin', 'member', 'guest'].map((login) => ({
  id: `user-${login}`,
  login,
  name: `Practice ${login}`,
  email: `${login}@practice.example.test`,
}));

/** The only workspace of the tracker. Token responses contain it, as those of many providers do. */
export const PRACTICE_WORKSPACE = 'practice-workspace';

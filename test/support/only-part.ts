/** A service of which a test needs only the given members; reading another one throws. */
export function onlyPart<Service extends object>(name: string, members: Partial<NoInfer<Service>> = {}): Service {
  const refuse = (_: object, member: string | symbol): unknown => {
    const known: unknown = Reflect.get(members, member);
    if (known === undefined) throw new Error(`This test has no ${name}.${String(member)}.`);
    return known;
  };
  return new Proxy<Service>({} as Service, { get: refuse });
}

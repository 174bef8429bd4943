/** The parts of an organization's page that its members see; the first one is shown without a word in the address. */
export const ORGANIZATION_TABS = ['about', 'members', 'invitations'] as const;
export type OrganizationTab = (typeof ORGANIZATION_TABS)[number];

/** Reads the search parameter `tab`; whatever names no tab counts as absent. */
export function tabParam(value: unknown): OrganizationTab | undefined {
  return ORGANIZATION_TABS.find((tab) => tab === value);
}

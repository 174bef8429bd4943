import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { LanguageSwitch } from '../../../components/language-switch.tsx';
import { LanguageKeeper } from '../../../i18n/language/language-keeper.tsx';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import frame from '../../frame/app-frame.module.css';
import { BrandMark } from '../../frame/brand-mark.tsx';
import { UserMenu } from '../../frame/user-menu.tsx';
import { MembershipsProvider, useMemberships } from '../../organizations/memberships-provider.tsx';
import { OrganizationSwitcher } from '../../organizations/switcher/organization-switcher.tsx';
import { useRememberOrganization } from '../../organizations/use-remember-organization.ts';
import classes from './onboarding-frame.module.css';

/** The page around onboarding: the organization, who is signed in, and no link that bypasses it. */
export function OnboardingFrame(props: { organizationId: string; children: ReactNode }) {
  return (
    <MembershipsProvider orgId={props.organizationId}>
      <Frame>{props.children}</Frame>
    </MembershipsProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { productName } = useSettings();
  const { user } = useMemberships();
  const utils = trpc.useUtils();
  const updateSettings = trpc.user.updateSettings.useMutation({
    onSuccess: (saved) => utils.user.me.setData(undefined, saved),
  });
  useRememberOrganization();
  return (
    <div className={classes.screen}>
      <LanguageKeeper preference={user.language_preference} />
      <header className={classes.bar}>
        <span className={frame.brand}>
          <BrandMark />
          <span className={frame.brandName}>{productName}</span>
        </span>
        <span className={frame.slash} aria-hidden>
          /
        </span>
        <OrganizationSwitcher />
        <Group ml="auto" gap="xs" wrap="nowrap">
          <UserMenu />
        </Group>
      </header>
      <main className={classes.main}>{children}</main>
      <footer className={classes.foot}>
        <LanguageSwitch onChange={(language) => updateSettings.mutate({ language_preference: language })} />
      </footer>
    </div>
  );
}

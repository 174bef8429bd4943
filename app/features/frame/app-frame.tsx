import { Trans, useLingui } from '@lingui/react/macro';
import { Burger, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { AnchorLink } from '../../components/links.tsx';
import { FramedContext } from '../../components/page/page-landmark.tsx';
import { useSettings } from '../../use-settings.ts';
import { BillingNotice } from '../billing/billing-notice.tsx';
import { SpendingBanner } from '../billing/spending/spending-banner.tsx';
import { SuspensionBanner } from '../organizations/suspension-banner.tsx';
import { OrganizationSwitcher } from '../organizations/switcher/organization-switcher.tsx';
import { useHomeOrganization } from '../organizations/use-organization.ts';
import { useRememberOrganization } from '../organizations/use-remember-organization.ts';
import { PaletteTrigger } from '../palette/palette-trigger.tsx';
import { RunningUploads } from '../storage/uploads/running-uploads.tsx';
import classes from './app-frame.module.css';
import { AwayHost } from './away-host.tsx';
import { BrandMark } from './brand-mark.tsx';
import { Navigation } from './navigation.tsx';
import { useDrawer } from './use-drawer.ts';
import { UserMenu } from './user-menu.tsx';

/** The frame around every signed-in page: top bar, 18rem navigation (a drawer on a phone), and the page. */
export function AppFrame({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  const { isOpen, toggle, close, button } = useDrawer();
  useRememberOrganization();
  const { productName } = useSettings();
  const { organization } = useHomeOrganization();
  return (
    <>
      <a className={classes.skip} href="#page">
        <Trans>Skip to content</Trans>
      </a>
      <header className={classes.header}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            ref={button}
            aria-expanded={isOpen}
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? t`Close navigation` : t`Open navigation`}
          />
          <AnchorLink
            to="/$orgId"
            params={{ orgId: organization.id }}
            activeOptions={{ exact: true }}
            underline="never"
            c="inherit"
            className={classes.brand}
            aria-label={productName}
          >
            <BrandMark />
            <span className={classes.brandName}>{productName}</span>
          </AnchorLink>
          <span className={classes.slash} aria-hidden>
            /
          </span>
          <OrganizationSwitcher />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <PaletteTrigger />
            <UserMenu />
          </Group>
        </Group>
      </header>
      <div className={classes.navigation} data-open={isOpen ? true : undefined}>
        <Navigation onNavigate={close} />
      </div>
      <main id="page" tabIndex={-1} className={classes.main} inert={isOpen}>
        <div className={classes.page}>
          <SuspensionBanner />
          <BillingNotice />
          <SpendingBanner />
          <FramedContext value={true}>{children}</FramedContext>
        </div>
      </main>
      <RunningUploads />
      <AwayHost />
    </>
  );
}

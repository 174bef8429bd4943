import { Trans } from '@lingui/react/macro';
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { LanguageSwitch } from '../../components/language-switch.tsx';
import { LanguageKeeper } from '../../i18n/language/language-keeper.tsx';
import { useSettings } from '../../use-settings.ts';
import { BrandMark } from '../frame/brand-mark.tsx';
import classes from './entry-screen.module.css';
import { Showcase } from './showcase.tsx';

/**
 * The plain page around signing in, registering and reporting: brand, language, one card, and the policies.
 */
export function EntryScreen(props: {
  title: ReactNode;
  subtitle?: ReactNode;
  children: ReactNode;
  /** Links to other pages, below the card. */
  aside?: ReactNode;
  /** Whether it shows what the product is, on the pages that visitors see first. */
  hasShowcase?: boolean;
}) {
  const { productName, links } = useSettings();
  return (
    <div className={classes.screen} data-showcase={props.hasShowcase || undefined}>
      <LanguageKeeper preference={null} />
      <header className={classes.bar}>
        <Anchor href="/" className={classes.brand} underline="never" c="inherit">
          <BrandMark size={26} />
          {productName}
        </Anchor>
        <LanguageSwitch />
      </header>
      <div className={classes.halves}>
        <main className={classes.main}>
          <Stack gap={6} mb="lg">
            <Title order={1}>{props.title}</Title>
            {props.subtitle && <Text c="dimmed">{props.subtitle}</Text>}
          </Stack>
          {props.children}
          {props.aside && (
            <Text size="sm" c="dimmed" mt="lg" component="div">
              {props.aside}
            </Text>
          )}
        </main>
        {props.hasShowcase && (
          <div className={classes.aside}>
            <Showcase />
          </div>
        )}
      </div>
      <footer className={classes.policies}>
        <Group gap="md" justify="center">
          <PolicyLink href={links.terms}>
            <Trans>Terms of service</Trans>
          </PolicyLink>
          <PolicyLink href={links.privacy}>
            <Trans>Privacy policy</Trans>
          </PolicyLink>
          <PolicyLink href={links.acceptableUse}>
            <Trans>Acceptable use policy</Trans>
          </PolicyLink>
        </Group>
      </footer>
    </div>
  );
}

function PolicyLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor href={href} size="xs" c="dimmed">
      {children}
    </Anchor>
  );
}

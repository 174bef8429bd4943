import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Text } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { User } from '#server/services/identity/schema.ts';
import { Avatar } from '../../components/avatar/avatar.tsx';
import { LanguageSwitch } from '../../components/language-switch.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { LanguageKeeper } from '../../i18n/language/language-keeper.tsx';
import { useSettings } from '../../use-settings.ts';
import { BrandMark } from '../frame/brand-mark.tsx';
import classes from './public-frame.module.css';
import { signInAddress } from './sign-in-address.ts';

/** The frame of pages outside an organization's console, which are also open to signed-out visitors. */
export function PublicFrame(props: {
  visitor: User | null;
  /** How wide the page is: a whole page, or one card in the middle. */
  width?: 'page' | 'card';
  /** Whether it offers to sign in and return, which sends the address with what is behind its `#` to the server. */
  hasSignIn?: boolean;
  children: ReactNode;
}) {
  const { productName } = useSettings();
  const { visitor, width = 'page', hasSignIn = true } = props;
  const isBarFull = visitor !== null || hasSignIn;
  return (
    <div className={classes.screen}>
      <LanguageKeeper preference={visitor?.language_preference ?? null} />
      <header className={classes.bar}>
        <Anchor href="/" className={classes.brand} underline="never" c="inherit" aria-label={productName}>
          <BrandMark size={26} />
          <span className={isBarFull ? classes.brandName : undefined}>{productName}</span>
        </Anchor>
        {visitor ? <SignedIn visitor={visitor} /> : <SignedOut hasSignIn={hasSignIn} />}
      </header>
      <main className={classes.main} data-width={width}>
        {props.children}
      </main>
    </div>
  );
}

function SignedIn({ visitor }: { visitor: User }) {
  const name = visitor.full_name || visitor.login;
  return (
    <div className={classes.visitor}>
      <AnchorLink to="/" size="sm" className={classes.back}>
        <IconArrowLeft size={16} stroke={1.75} aria-hidden />
        <Trans>Back to the console</Trans>
      </AnchorLink>
      <div className={classes.person}>
        <Avatar src={visitor.avatar_url} name={name} size={28} />
        <Text size="sm" truncate maw="12rem" className={classes.personName}>
          <bdi>{name}</bdi>
        </Text>
      </div>
    </div>
  );
}

function SignedOut({ hasSignIn }: { hasSignIn: boolean }) {
  const href = useLocation({ select: (location) => location.href });
  return (
    <div className={classes.visitor}>
      <LanguageSwitch />
      {hasSignIn && (
        <Button component="a" href={signInAddress(href)} variant="default" size="xs">
          <Trans>Sign in</Trans>
        </Button>
      )}
    </div>
  );
}

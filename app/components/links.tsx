import { Anchor, Button, Card, UnstyledButton } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

/** Mantine's components as typed router links: `to` and `params` are checked against the routes. */
export const AnchorLink = createLink(Anchor<'a'>);
export const ButtonLink = createLink(ButtonAnchor);
export const CardLink = createLink(Card<'a'>);
export const UnstyledLink = createLink(UnstyledAnchor);
/** The name of a thing in a list, which leads to it: the same everywhere, and what the eye finds first in a row. */
export const NameLink = createLink(NameAnchor);

/** A link that looks like a button is still a link: it opens in a new tab and is announced as one. */
function ButtonAnchor(props: ComponentProps<typeof Button<'a'>>) {
  return <Button component="a" {...props} />;
}

function UnstyledAnchor(props: ComponentProps<typeof UnstyledButton<'a'>>) {
  return <UnstyledButton component="a" {...props} />;
}

function NameAnchor({ className, ...props }: ComponentProps<'a'>) {
  return <a className={className ? `name-link ${className}` : 'name-link'} {...props} />;
}

import { ActionIcon, Anchor, Button, Card, Menu } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** Mantine's components as typed router links: `to` and `params` are checked against the routes. */
export const ActionIconLink = createLink(ActionIcon<'a'>);
export const AnchorLink = createLink(Anchor<'a'>);
export const ButtonLink = createLink(Button<'a'>);
export const CardLink = createLink(Card<'a'>);
export const MenuItemLink = createLink(Menu.Item<'a'>);

/**
 * Evidence for social engagement events: people, their reactions, and the posts that they reacted to. Who reacted is more
 * than a contact, so that such kinds weigh against neither type.
 */
import type { EvidenceKind } from './kinds.ts';
import * as values from './value-forms.ts';

const COMMENT = { engagement_type: 'comment' } as const;
const LIKE = { engagement_type: 'like' } as const;
const MENTION = { engagement_type: 'mention' } as const;

/** Kinds of posts on one network. A company's own account there is none. */
const NETWORKS: readonly EvidenceKind[] = [
  { what: 'tweets', proposes: { platform: 'twitter', ...MENTION }, headers: 'tweet' },
  { what: 'videos', proposes: { platform: 'youtube' }, headers: 'video code|url|title, youtube' },
  { what: 'posts on Reddit', proposes: { platform: 'reddit' }, headers: 'reddit' },
  { what: 'posts on Instagram', proposes: { platform: 'instagram' }, headers: 'instagram' },
  { what: 'posts on TikTok', proposes: { platform: 'tiktok' }, headers: 'tiktok' },
].map((kind) => ({
  ...kind,
  weight: 2.5,
  check: (profile) => ![values.companySites, values.profiles, values.smallNumbers].some((is) => is(profile)),
}));

export const KINDS_OF_SOCIAL: readonly EvidenceKind[] = [
  { what: 'pages of networks and of other sites', weight: 0, values: values.mixedPages },
  { what: 'kinds of reactions', weight: 3.5, others: { neither: -2 }, values: values.reactions },
  {
    what: 'kinds of reactions',
    proposes: LIKE,
    weight: 2.5,
    headers: '=reaction, reaction type',
    check: (profile) => !values.counts(profile),
  },
  { what: 'kinds of engagement', weight: 2.5, headers: 'type, action', check: values.someReactions },
  { what: 'engagements among other events', weight: 0, others: { signals: -6.5 }, values: values.mixedEvents },
  { what: 'pages of posts', weight: 2.5, others: { neither: -1 }, headers: 'permalink post|url', values: values.posts },
  {
    what: 'people who commented',
    proposes: COMMENT,
    weight: 2.5,
    others: { neither: -2 },
    headers: 'commenter, comment author|people_of',
  },
  { what: 'people who reacted', proposes: LIKE, weight: 2.5, others: { neither: -2 }, headers: 'liker' },
  {
    what: 'people who shared',
    proposes: { engagement_type: 'repost' },
    weight: 2.5,
    others: { neither: -2 },
    headers: 'sharer',
  },
  {
    what: 'people who engaged',
    weight: 2.5,
    others: { neither: -2, signals: -1.5 },
    headers: 'engager',
    check: (profile) => !values.counts(profile),
  },
  {
    what: 'comments',
    proposes: COMMENT,
    weight: 2.5,
    headers: 'comment text|date|time|code|url|like|message|announced|other_company !reply',
  },
  { what: 'answers to posts', weight: 2, headers: 'reply count|code|state_of|author|acted' },
  { what: 'texts of comments', proposes: COMMENT, weight: 1.5, headers: '=comment', check: values.sentences },
  ...NETWORKS,
  { what: 'ids of posts on LinkedIn', proposes: { platform: 'linkedin' }, weight: 2.5, values: values.socialIds },
  {
    what: 'posts',
    proposes: MENTION,
    weight: 1.5,
    headers:
      '=post, post code|url|text|message|type|main, publication text|url, activity url|code, =permalink, message state_of',
  },
  { what: 'counts of likes', weight: 2, headers: 'like, reaction count|total, =reaction', check: values.counts },
  {
    what: 'counts of replies and shares',
    weight: 1.5,
    headers: '=comment, comment count, =reply, reply count, =repost, repost count',
    check: values.counts,
  },
  {
    what: 'accounts of people',
    context: true,
    weight: 1.5,
    headers:
      'handle, nickname, =user, user name|code|description|state_of, author channel|code, channel code, profile name',
  },
  { what: 'handles of authors', weight: 2, values: values.handles, when: ({ authors }) => authors },
  { what: 'accounts of people', context: true, weight: 1.5, values: values.handles },
  {
    what: 'profiles of people',
    context: true,
    weight: 1.5,
    headers: '=profile, profile url|linkedin, author|user url|profile',
    check: values.profiles,
    values: values.profiles,
    when: ({ authors, people }) => authors || people,
  },
  {
    what: 'headlines of people',
    context: true,
    weight: 1.5,
    headers: 'headline',
    check: values.headlinesOfPeople,
    values: values.headlinesOfPeople,
  },
  { what: 'texts of replies', context: true, weight: 1.5, headers: '=reply', check: values.sentences },
  { what: 'degrees of connection', context: true, weight: 1.5, values: values.degrees },
  { what: 'followers', context: true, weight: 1, headers: 'follower' },
  { what: 'networks', context: true, weight: 1.5, headers: 'social_network', values: values.networks },
  { what: 'mentions and tags', proposes: MENTION, weight: 1.5, headers: 'mention', values: values.taggedTexts },
  // Posts about a market, which can be signals too.
  { what: 'profiles of companies and of people', weight: -4.5, values: values.mixedProfiles },
  {
    what: 'posts of companies',
    weight: -6,
    headers: '=profile, =profile name, =author, =page, =page name, =account',
    check: values.companyNames,
  },
  { what: 'authors', context: true, weight: 0.5, headers: 'author' },
  { what: 'sentiments', context: true, weight: 0.5, headers: 'sentiment' },
];

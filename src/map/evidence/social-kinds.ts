/**
 * Evidence for social engagement events: people, their reactions, and the posts that they reacted to. Who reacted is more
 * than a contact, so that such kinds weigh against neither type.
 */
import type { EvidenceKind } from './kinds.ts';
import * as values from './value-forms.ts';

export const KINDS_OF_SOCIAL: readonly EvidenceKind[] = [
  {
    what: 'pages of networks and of other sites',
    weights: { social: -2, signals: 1.5 },
    values: values.mixedPages,
  },
  {
    what: 'engagements among other events',
    weights: { signals: -4.5 },
    values: values.mixedEvents,
  },
  {
    what: 'kinds of reactions',
    weights: { social: 3.5, neither: -2 },
    fields: ['engagement_type'],
    values: values.reactions,
  },
  {
    what: 'kinds of reactions',
    proposes: { engagement_type: 'like' },
    weights: { social: 2.5 },
    headers:
      '=reaction,=reaktion,=reactie,=reaccion,=reazione,=reacao,=reakcja,=interaction,=interaktion,reaction type,engagement type,interaction type,interaktionsart,type interaction,type reaction,tipo interaccion,tipo reaccion,tipo interazione,tipo interacao,tipo reacao,rodzaj reakcji,typ reakcji,反応種別,リアクション,互动类型,반응',
    check: (profile) => !values.counts(profile) || profile.texts.length === 0,
  },
  {
    what: 'pages of posts',
    weights: { social: 2.5, neither: -1 },
    headers: 'tweet permalink,permalink url,post permalink',
    values: values.posts,
  },
  {
    what: 'people who commented',
    proposes: { engagement_type: 'comment' },
    weights: { social: 2.5, neither: -2 },
    headers:
      'commenter*,commented*,comment author,author comment,comment owner,kommentator*,kommentiert*,commentateur*,auteur commentaire,comentarista*,autor comentario,commentatore,autore commento,comentado*,komentujac*,autor komentarza,コメント者,コメント投稿者,评论者,评论人,댓글 작성자,댓글작성자',
  },
  {
    what: 'people who reacted',
    proposes: { engagement_type: 'like' },
    weights: { social: 2.5, neither: -2 },
    headers: 'liker*,liked by,liked at,reactor*,reacted*',
  },
  {
    what: 'people who shared',
    proposes: { engagement_type: 'repost' },
    weights: { social: 2.5, neither: -2 },
    headers: 'reposter*,reposted by,retweeter*,retweeted by,sharer*,shared by',
  },
  {
    what: 'people who engaged',
    weights: { social: 2.5, neither: -2 },
    headers: 'engager*,engaged*,mentioned by,mentioned at',
  },
  {
    what: 'comments',
    proposes: { engagement_type: 'comment' },
    weights: { social: 2.5 },
    headers:
      'comment id,comment url,comment link,comment date,comment time,comment likes,comment text,comment content,comment body,comment message,comment published*,comment timestamp,parent comment,top level comment*,text display,cid,commenturn,kommentartext,kommentar id,kommentar datum,texte commentaire,date commentaire,texto comentario,fecha comentario,data comentario,testo commento,data commento,reactie tekst,tresc komentarza,data komentarza,kommentarstekst,yorum metni,コメント内容,コメント本文,コメント日時,评论内容,评论时间,댓글',
  },
  {
    what: 'answers to posts',
    weights: { social: 2 },
    headers:
      'parent id,reply to,in reply to,reply count,replies count,comment replies,is reply,reply text,reply author,replied*',
  },
  {
    what: 'texts of comments',
    proposes: { engagement_type: 'comment' },
    weights: { social: 1.5 },
    headers:
      '=comment,=comments,=commentary,=reply,=replies,=kommentar,=commentaire,=comentario,=comentarios,=commento,=commenti,=opmerking,=reactie,=komentarz,=kommentarer,=yorum,コメント,评论,留言,댓글',
    check: values.sentences,
  },
  {
    what: 'tweets',
    proposes: { platform: 'twitter', engagement_type: 'mention' },
    weights: { social: 2.5 },
    headers: 'tweet*,tweetid,retweet*,tuit*,retuit*,conversation id tweet,ツイート,リツイート,推文,트윗',
    check: (profile) => !values.companySites(profile),
  },
  {
    what: 'videos',
    proposes: { platform: 'youtube' },
    weights: { social: 2.5 },
    headers: 'video id,videoid,video title,video url,id video,youtube*,動画id,動画url,视频id,영상 id',
    check: (profile) => !values.companySites(profile),
  },
  {
    what: 'posts on Reddit',
    proposes: { platform: 'reddit' },
    weights: { social: 2.5 },
    headers: 'subreddit*,reddit*,permalink reddit',
    check: (profile) => !values.companySites(profile),
  },
  {
    what: 'posts on Instagram',
    proposes: { platform: 'instagram' },
    weights: { social: 2.5 },
    headers: 'shortcode,media id,reel*,instagram*',
    check: (profile) => !values.companySites(profile),
  },
  {
    what: 'posts on TikTok',
    proposes: { platform: 'tiktok' },
    weights: { social: 2.5 },
    headers: 'aweme*,tiktok*,digg count',
    check: (profile) => !values.companySites(profile),
  },
  {
    what: 'ids of posts on LinkedIn',
    proposes: { platform: 'linkedin' },
    weights: { social: 2.5 },
    values: values.socialIds,
  },
  {
    what: 'posts',
    proposes: { engagement_type: 'mention' },
    weights: { social: 1.5 },
    headers:
      'post id,postid,post url,posturl,post link,post text,post content,postcontent,post message,post caption,post author,post type,original post,activity url,activity id,status message,status type,status link,=post,=permalink,=caption,beitrag*,beitragstext,publication lien,texte publication,texto publicacion,publicacion*,texto publicacao,link publicacao,testo post,link post,bericht tekst,bericht link,tresc posta,tresc wpisu,wpis*,post tresc,inlagg*,opslag tekst,gonderi*,paylasim*,投稿*,帖子,贴文,게시물,게시글,포스트',
  },
  {
    what: 'counts of likes',
    weights: { social: 2 },
    headers:
      'like*,likes count,like count,likecount,favorite count,favourite count,favorites,favourites,favorite*,favoritecount,upvote*,downvote*,thumbs up,number likes,reaction count,reactions,total reactions,hearts,gefallt mir*,gefallt*,j aime*,mentions j aime,jaime,me gusta*,megusta,mi piace*,curtida*,gostos,vind ik leuk*,polubien*,lajk*,gillar*,gilla*,synes godt om,begeni*,いいね*,高評価,点赞*,赞数,좋아요*,추천수',
    check: values.counts,
  },
  {
    what: 'counts of replies and shares',
    weights: { social: 1.5 },
    headers:
      'retweet count,retweets,reposts,repost count,quote count,share count,shares count,number shares,=shares,=comments,=replies,comment count,comments count,commentcount,number comments,kommentare,geteilt,antworten,partages,commentaires,nombre commentaires,compartid*,respuestas,comentarios,condivision*,commenti,compartilhament*,reacties,gedeeld,udostepni*,komentarze,kommentarer,delningar,delinger,paylasim sayisi,コメント数,返信数,リツイート数,シェア数,评论数,转发数,转发,댓글수,댓글 수,공유수',
    check: values.counts,
  },
  {
    what: 'accounts of people',
    context: true,
    weights: { social: 1.5 },
    headers:
      'screen name,screenname,user handle,author handle,author username,=handle,=username,=user name,user id,user description,user verified,userscreenname,author channel*,channel id,author id,profile name,display name,from user,benutzername,nutzername,pseudo,pseudonyme,nom utilisateur,nombre usuario,=usuario,nome utente,=utente,nome usuario,gebruikersnaam,nazwa uzytkownika,uzytkownik,anvandarnamn,anvandare,brugernavn,kullanici*,ユーザー名,ユーザー,アカウント名,投稿者,用户名,昵称,用户昵称,博主,사용자명,사용자,닉네임,작성자',
  },
  {
    what: 'handles of authors',
    weights: { social: 2 },
    values: values.handles,
    when: ({ authors }) => authors,
  },
  {
    what: 'accounts of people',
    context: true,
    weights: { social: 1.5 },
    values: values.handles,
  },
  {
    what: 'profiles of people',
    context: true,
    weights: { social: 1.5 },
    headers:
      'profile url,profile link,profileurl,profilelink,author url,author profile,user url,user profile,profil url,profil link,lien profil,url profil,url perfil,enlace perfil,link perfil,link profilo,url profilo,profiel url,profiel link,link profilu,profil linkedin,perfil linkedin,linkedin profile,プロフィール,主页,프로필',
    check: (profile) => profile.texts.length === 0 || values.profiles(profile),
    values: values.profiles,
    when: ({ authors, people }) => authors || people,
  },
  {
    what: 'followers',
    context: true,
    weights: { social: 1 },
    headers:
      'follower*,followers count,following,following count,friends count,subscriber*,abonnes,seguidores,seguaci,volgers,obserwujac*,foljare,folgere,takipci*,フォロワー*,粉丝*,팔로워*,is verified,=verified,connection degree,=degree',
  },
  {
    what: 'networks',
    context: true,
    weights: { social: 1.5 },
    headers:
      'social network,social media,social platform,soziales netzwerk,reseau social,red social,rede social,social netwerk,serwis spolecznosciowy',
    values: values.networks,
  },
  {
    what: 'mentions and tags',
    proposes: { engagement_type: 'mention' },
    weights: { social: 1.5 },
    headers:
      'hashtag*,mention*,mentions,influencer*,erwahnung*,menciones,mencion,menzion*,mencoes,vermelding*,wzmiank*,omnamnande*,bahsetme,ハッシュタグ,メンション,话题标签,提及,해시태그,언급',
    values: values.taggedTexts,
  },
  {
    // Posts about a market, which can be signals too.
    what: 'profiles of companies and of people',
    weights: { social: -4 },
    values: values.mixedProfiles,
  },
  {
    what: 'authors',
    context: true,
    weights: { social: 0.5 },
    headers: 'author*,autor*,auteur*,autore*,forfattare,forfatter,yazar,著者,作者,작성자',
  },
  {
    what: 'sentiments',
    context: true,
    weights: { social: 0.5 },
    headers: 'sentiment*,stimmung,tonalite,sentimiento,sentimento,sentyment,感情,情感,감성',
  },
];

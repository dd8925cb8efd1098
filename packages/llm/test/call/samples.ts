import type { CountedText } from './languages.js';

// The texts are counted as `languages.ts` says.

/** Ordinary text, programs and data. */
export const USUAL: Readonly<Record<string, CountedText>> = {
  english: {
    o200k_base: 122,
    cl100k_base: 122,
    text: 'The harbour was quiet when the last ferry came in. Two men on the pier were folding nets, and a dog slept between them as if nothing could ever happen here. Nobody had told the captain that the winter timetable began today, so he waited for passengers who would not come until March. He drank his coffee, looked at the clock above the ticket office, and decided that ten more minutes would do no harm. In the end three people ran down the hill: a teacher with a heavy bag, her daughter, and a stranger who asked, in careful English, whether this was the boat to the island.',
  },
  korean: {
    o200k_base: 107,
    cl100k_base: 179,
    text: '항구는 마지막 배가 들어올 때 조용했다. 부두에서 두 사람이 그물을 접고 있었고, 개 한 마리가 그 사이에서 자고 있었다. 겨울 시간표가 오늘부터 시작된다는 것을 아무도 선장에게 말해 주지 않았기 때문에 그는 3월까지 오지 않을 손님을 기다렸다. 그는 커피를 마시고 매표소 위의 시계를 보며 십 분쯤 더 기다려도 괜찮겠다고 생각했다.',
  },
  japanese: {
    o200k_base: 121,
    cl100k_base: 167,
    text: '最後のフェリーが入ってきたとき、港は静かだった。桟橋では二人の男が網をたたんでいて、その間で犬が一匹眠っていた。冬の時刻表が今日から始まることを誰も船長に伝えていなかったので、彼は三月まで来ない乗客を待っていた。コーヒーを飲み、切符売り場の上の時計を見て、あと十分くらい待っても困らないだろうと思った。',
  },
  code: {
    o200k_base: 211,
    cl100k_base: 208,
    text: 'export class Batcher<T, R> {\n  readonly #pending: Array<{ item: T; resolve: (value: R) => void }> = [];\n  #timer: NodeJS.Timeout | undefined;\n\n  constructor(private readonly send: (items: readonly T[]) => Promise<R[]>, private readonly maxSize = 64) {}\n\n  add(item: T): Promise<R> {\n    return new Promise((resolve) => {\n      this.#pending.push({ item, resolve });\n      if (this.#pending.length >= this.maxSize) void this.flush();\n      else this.#timer ??= setTimeout(() => void this.flush(), 5);\n    });\n  }\n\n  async flush(): Promise<void> {\n    clearTimeout(this.#timer);\n    this.#timer = undefined;\n    const batch = this.#pending.splice(0, this.maxSize);\n    const results = await this.send(batch.map(({ item }) => item));\n    for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);\n  }\n}\n',
  },
  json: {
    o200k_base: 501,
    cl100k_base: 503,
    text: '[{"id":"usr_00fb86738b42","name":"Ann","created_at":"2026-01-10T08:10:20.100Z","active":true,"balance":{"currency":"EUR","amount":7640.89},"tags":["beta","eu-west-1"]},{"id":"usr_835484f3e322","name":"Bo","created_at":"2026-02-11T08:11:21.137Z","active":false,"balance":{"currency":"EUR","amount":2909.51},"tags":["beta","eu-west-1"]},{"id":"usr_8c1e89af9ed0","name":"Cem","created_at":"2026-03-12T08:12:22.174Z","active":true,"balance":{"currency":"EUR","amount":1749.41},"tags":["beta","eu-west-1"]},{"id":"usr_5601c567fbb5","name":"Dag","created_at":"2026-04-13T08:13:23.211Z","active":false,"balance":{"currency":"EUR","amount":3563.34},"tags":["beta","eu-west-1"]},{"id":"usr_22e53a50ae8d","name":"Ann","created_at":"2026-05-14T08:14:24.248Z","active":true,"balance":{"currency":"EUR","amount":6552.44},"tags":["beta","eu-west-1"]},{"id":"usr_e18aefd9ff8d","name":"Bo","created_at":"2026-06-15T08:15:25.285Z","active":false,"balance":{"currency":"EUR","amount":56.99},"tags":["beta","eu-west-1"]},{"id":"usr_85b8cf8d6ab8","name":"Cem","created_at":"2026-07-16T08:16:26.322Z","active":true,"balance":{"currency":"EUR","amount":3123.83},"tags":["beta","eu-west-1"]},{"id":"usr_300fda099bf4","name":"Dag","created_at":"2026-08-17T08:17:27.359Z","active":false,"balance":{"currency":"EUR","amount":9862.75},"tags":["beta","eu-west-1"]}]',
  },
  emoji: {
    o200k_base: 129,
    cl100k_base: 190,
    text: '🎉🚀 Great job!! 😀😃😄😁😆 👍🏽👍🏿 👩‍💻👨‍👩‍👧‍👦 🏳️‍🌈🇮🇹🇰🇷 ❤️🔥💯 🙏🏻 🥳🤖🧠💸 🦄🐙🍕🍣 ✅❌⚠️ 1️⃣2️⃣3️⃣ 🕐🗓️📈📉 🤷‍♀️🤦🏾‍♂️ 😂🤣😊😇🙂🙃😉😌😍🥰😘',
  },
  base64: {
    o200k_base: 406,
    cl100k_base: 426,
    text: 'ps6f1CP+gZEpZTXQ3Lyo/Zu89H06lcvaMI56hi5AcHorACwGG+D7Dyxnf7teXMq1zIfMaZBKhsYUQNPTxm5b60BcetRn+Y1vVolL4pL8135vsu6MqCmxZJzbYksXrrv2UUIRuO3I1PY5+kiJZLbCn7mfmEXUeyO4do+N4/MnGkmGZOjbh+hHfu2ty1Xo+NcAKsAaFelFlkPLuA5y+hUVYcqwRX8be2+LK8VNsdUJLrfkSNekUhgb/bFBhBKEbccpvSs9NOEHCPDre5O0K4QTmLjYEZFeDutFJ0hYy9LdxrXdo7OwT2eoUz1/maxttj28hHBk0B+NiqigE2vxtoOxUPkQw3I5fjna/4jxKnssCrPDNwF7qk+J8EuNsUwaoh6LdKzRvZPGhsCdnZmsw7jg26ygJkH+NOcJv4TTRS5Ts6VUG0/wGCZAuwC2AfmC+JtixUZeqcOKvWGdPxBmOcMpUhhV7+OVutwDMjVpdid0XgIBomxNC3DF3Yq4/PZV3dHM77G0Uk3LV8MPk5Q9dannTAOTewsMZi6tu8zFx4Dt6Yfy7Fboy35mR3/1u1jCv6K4ntIVyuotZ73Hgmzx/SaoPJF4',
  },
  german: {
    o200k_base: 52,
    cl100k_base: 65,
    text: 'Der Hafen war still, als die letzte Fähre einlief. Zwei Männer falteten am Pier die Netze, und ein Hund schlief zwischen ihnen, als könnte hier niemals etwas geschehen. Die Geschwindigkeitsbegrenzungsschilder waren verschwunden.',
  },
  russian: {
    o200k_base: 57,
    cl100k_base: 104,
    text: 'Гавань была тихой, когда пришёл последний паром. Двое мужчин на пирсе складывали сети, а между ними спала собака, будто здесь никогда ничего не может случиться. Никто не сказал капитану, что зимнее расписание начинается сегодня.',
  },
  vietnamese: {
    o200k_base: 51,
    cl100k_base: 79,
    text: 'Bến cảng yên tĩnh khi chuyến phà cuối cùng cập bến. Hai người đàn ông đang gấp lưới trên cầu tàu, và một con chó ngủ giữa họ như thể không có gì có thể xảy ra.',
  },
  chinese: {
    o200k_base: 91,
    cl100k_base: 140,
    text: '最后一班渡轮进港的时候，码头很安静。两个男人正在岸边收网，一只狗睡在他们中间，好像这里永远不会发生什么事。没有人告诉船长冬季时刻表从今天开始，所以他还在等三月之前不会来的乘客。他喝了咖啡，看了看售票处上方的钟，觉得再等十分钟也没有关系。',
  },
  arabic: {
    o200k_base: 59,
    cl100k_base: 123,
    text: 'كان الميناء هادئا عندما وصلت العبارة الأخيرة. كان رجلان على الرصيف يطويان الشباك، وكان كلب ينام بينهما كأن شيئا لن يحدث هنا أبدا. لم يخبر أحد القبطان أن جدول الشتاء يبدأ اليوم.',
  },
  hindi: {
    o200k_base: 56,
    cl100k_base: 178,
    text: 'जब आखिरी नाव आई तब बंदरगाह शांत था। घाट पर दो आदमी जाल समेट रहे थे और उनके बीच एक कुत्ता सो रहा था। किसी ने कप्तान को नहीं बताया था कि सर्दियों की समय सारणी आज से शुरू होती है।',
  },
  thai: {
    o200k_base: 74,
    cl100k_base: 142,
    text: 'ท่าเรือเงียบสงบเมื่อเรือข้ามฟากลำสุดท้ายเข้ามา ชายสองคนบนท่าเรือกำลังพับอวน และมีสุนัขนอนหลับอยู่ระหว่างพวกเขา ไม่มีใครบอกกัปตันว่าตารางเวลาฤดูหนาวเริ่มวันนี้',
  },
  greek: {
    o200k_base: 40,
    cl100k_base: 87,
    text: 'Το λιμάνι ήταν ήσυχο όταν ήρθε το τελευταίο πλοίο. Δύο άντρες στην προβλήτα δίπλωναν τα δίχτυα.',
  },
  html: {
    o200k_base: 102,
    cl100k_base: 102,
    text: '<div class="card mb-4"><a href="/items/42?ref=home" class="btn btn-primary">Read more</a><img src="/img/a1.png" alt="A cat"/></div>\n<div class="card mb-4"><a href="/items/42?ref=home" class="btn btn-primary">Read more</a><img src="/img/a1.png" alt="A cat"/></div>\n<div class="card mb-4"><a href="/ite',
  },
  numbers: {
    o200k_base: 202,
    cl100k_base: 202,
    text: '12046,0.5980,0.53\n22097,0.9772,0.56\n29857,0.4631,0.75\n61640,0.5035,0.79\n527,0.5689,0.74\n65926,0.7693,0.79\n59021,0.8647,0.92\n43972,0.8447,0.80\n17724,0.2908,0.10\n5393,0.4889,0.16\n58006,0.1949,0.78\n34369,0.8973,0.97\n43907,0.5569,0.18\n68084,0.7971,0.19\n42997,0.6978,0.08\n2094,0.1057,0.41\n78078,0.0475,0.7',
  },
  addresses: {
    o200k_base: 127,
    cl100k_base: 124,
    text: 'https://example.com/api/v1/users/8f3a/orders?limit=50&cursor=eyJpZCI6MTIzfQ%3D%3D&sort=-created_at https://example.com/api/v1/users/8f3a/orders?limit=50&cursor=eyJpZCI6MTIzfQ%3D%3D&sort=-created_at https://example.com/api/v1/users/8f3a/orders?limit=50&cursor=eyJpZCI6MTIzfQ%3D%3D&sort=-created_at htt',
  },
  'minified code': {
    o200k_base: 74,
    cl100k_base: 73,
    text: '!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?t(exports):(e=e||self,t(e.x={}))}(this,function(e){var n=e.a,r=n&&n.b||0;for(var i=0;i<r.length;i++)if(r[i]!==n[i])return!1;return!0});',
  },
  hex: {
    o200k_base: 169,
    cl100k_base: 169,
    text: '8b68ad9bd61931dc12d051a458cf3825779b1af810a0832ccdedac082f96394e6f2b1a7ab0f2a7a9785a1652929ee51241127db5ee15c5f473e1d6760d3ecf255ecaad6982c7b2aa492ff2d35e7e9ed5180e43e3d3f7c974535f1779311d558842a2f2ff13edd5b5df73c9ead45722680f05c715376e3defb55afb52409780f4d00bdef4cc027638820e28d522258ee371e1ed580109',
  },
  uuid: {
    o200k_base: 196,
    cl100k_base: 196,
    text: '003172a5-c172-4457-a270-18fb8d567fa1\n6c3aa217-49b9-45d6-a251-4c95661d8146\n06209c8b-5e59-4da1-bb91-b71b839e5bc7\n6dcc41e1-70c0-4b7e-bda6-3248fb6a17a8\nbbd78a22-ec2e-44bc-8e97-9483e61bf652\ned1393d3-0c16-4cc5-84b5-cb0a36955ac9\nc25b12c8-632c-4b5f-ac95-27583716fbd1\n5674686d-6ce4-49d2-b4a8-58dbcbb9c863\na828',
  },
};

/** Text that hardly anybody sends, except to make an estimate wrong. */
export const RARE: Readonly<Record<string, CountedText>> = {
  tibetan: { o200k_base: 71, cl100k_base: 98, text: 'བོད་ཀྱི་སྐད་ཡིག་ནི་གནའ་རབས་ཀྱི་སྐད་ཡིག་ཅིག་ཡིན།' },
  amharic: { o200k_base: 67, cl100k_base: 87, text: 'ሰላም ለዓለም ይሁን። ዛሬ ጠዋት ወደ ገበያ ሄጄ ዳቦ ገዛሁ።' },
  cherokee: { o200k_base: 64, cl100k_base: 60, text: 'ᎣᏏᏲ ᏙᎯᏧ ᎠᏂᏴᏫᏯ ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ' },
  zalgo: { o200k_base: 150, cl100k_base: 190, text: 'h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈h̀́̂ẽ̄̅l̆̇̈' },
  math: { o200k_base: 62, cl100k_base: 61, text: '𝓗𝓮𝓵𝓵𝓸 𝕎𝕠𝕣𝕝𝕕 𝓗𝓮𝓵𝓵𝓸 𝕎𝕠𝕣𝕝𝕕 ' },
  'rare Hangul': {
    o200k_base: 149,
    cl100k_base: 156,
    text: '쒧갋쀍갌갊갊쒨쒧갊쀍뷁쒧갊쒧쀍쒧쒨퉴갌쀎갋뷁갋퉴쀎갋갌뷁쒧퉳퉳쒨갌쀍쒧갊갌갌쒨퉳쀎퉳퉳쀎갋갊쀎갋갌갌쀍갋쒧갊뷁퉳쀎갋뷁갋',
  },
  'rare ideographs': {
    o200k_base: 157,
    cl100k_base: 153,
    text: '𤺥𢫏𣏹𣏹𠀁𣏹𤺥𨋢𥄫𤺥𡃁𣏹𨋢𦉘𦉘𡃁𥄫𨋢𥄫𡃁𥄫𤺥𦉘𢫏𨋢𥄫𠀁𢫏𦉘𣏹𦉘𥄫𣏹𠀀𥄫𢫏𥄫𡃁𣏹𣏹',
  },
  signs: {
    o200k_base: 137,
    cl100k_base: 136,
    text: "`!^{>>'_.$!=#(#<*#}\".]@&<,:[[[+>'+)=;.;,-#>$)/~`#{\"(*$/?_,#){!]$%~%>](/'^,~-($^$\").+@~'*\\,~|=~$@+_=>\\@@\\!@?`~[\\}-{-*$<?%]_%[~%|{<%\\~*![[|#{;[<!<<'|/:&]&$=:&:%\\>?*:,%\\}&~;|?@$.<+|@_)^,}]$,]'\\',.-&/_(?<",
  },
  letters: {
    o200k_base: 103,
    cl100k_base: 110,
    text: 'tqcywxhrxlmlmpjnyeobjnozutrluxmehwotymilpamqehocoodeptgkscjgswnneouiyogoxxztcktufbvhendwipurtfkvxhjrbpxiogtgeeirnnftvlfinsdoznpypxtcaxrhzdzxydcltnomnqtttnkhzndwzhjcnlfqkzlrycnhbxcseqbykfipgfaduwiwwsgq',
  },
};

/**
 * For each of 31 languages two texts, written for this file, and how many tokens two encodings make of them. The numbers come from
 * gpt-tokenizer 4.0.0: `encode(text).length` of `gpt-tokenizer/encoding/o200k_base` and of `gpt-tokenizer/encoding/cl100k_base`.
 *
 * The costs and weights of the estimate are fitted to the first texts, of about 150 words, and to `samples.ts`. No cost was fitted to the
 * second ones. Each language has other subjects, so that no word is counted in all of them.
 */
export interface Language {
  readonly name: string;
  /** What the first text is, such as a letter. */
  readonly subject: string;
  readonly fitted: CountedText;
  readonly keptApart: CountedText;
}

export interface CountedText {
  readonly o200k_base: number;
  readonly cl100k_base: number;
  readonly text: string;
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'English',
    subject: 'support request',
    fitted: {
      o200k_base: 178,
      cl100k_base: 179,
      text: 'Hello, since the update on Tuesday our shop no longer prints packing slips for orders that contain more than twelve items. The button turns grey for a second, the page reloads, and nothing arrives at the printer in the warehouse. Smaller orders work as before. We have already cleared the browser cache, installed the driver again and tried another computer, without any success. My colleague Martha noticed that the invoice number is missing in the preview whenever the fault occurs, so perhaps both problems have the same cause. I attached two screenshots and the log of this morning. Could somebody look at it before Friday, please? We expect about three hundred parcels for the holiday weekend, and writing every slip by hand would keep two people busy for a whole day. If you need access to our account, call me in the afternoon; I am usually at my desk until half past five. Kind regards, Oliver Bennett',
    },
    keptApart: {
      o200k_base: 64,
      cl100k_base: 65,
      text: 'Soak the lentils overnight. Next morning, fry a chopped onion with garlic and cumin, add the drained lentils, two carrots and enough stock to cover everything. Simmer gently for half an hour, stirring now and then. Season with lemon juice, scatter parsley on top and serve the soup with toasted bread.',
    },
  },
  {
    name: 'German',
    subject: 'news item',
    fitted: {
      o200k_base: 252,
      cl100k_base: 335,
      text: 'Der Stadtrat von Lindenau hat am Donnerstagabend beschlossen, die alte Eisenbahnbrücke über die Weser nicht abzureißen, sondern für Fußgänger und Radfahrer umzubauen. Nach einer vierstündigen Sitzung stimmten 27 Abgeordnete dafür, elf dagegen. Die Kosten werden auf 6,4 Millionen Euro geschätzt; knapp die Hälfte davon übernimmt das Land aus einem Förderprogramm für nachhaltige Mobilität. Bürgermeisterin Katrin Vogelsang sprach von einem vernünftigen Kompromiss, nachdem sich eine Bürgerinitiative jahrelang für den Erhalt des denkmalgeschützten Bauwerks eingesetzt hatte. Kritiker bemängeln dagegen, dass die Zufahrtsstraßen auf der südlichen Uferseite bislang völlig ungeeignet seien und zusätzliche Ausgaben drohten. Mit den Bauarbeiten soll im kommenden Frühjahr begonnen werden, sobald die Brutzeit der dort nistenden Turmfalken vorüber ist. Während der Sperrung wird voraussichtlich eine kleine Personenfähre zwischen beiden Ufern verkehren. Die Eröffnung ist für den Herbst des übernächsten Jahres geplant, sofern sich die Lieferung der Stahlträger nicht erneut verzögert. Über einen neuen Namen dürfen die Einwohner abstimmen.',
    },
    keptApart: {
      o200k_base: 79,
      cl100k_base: 95,
      text: 'Liebe Tante Gisela, herzlichen Dank für das Paket mit den Quittenplätzchen! Die Kinder haben sie innerhalb eines Nachmittags aufgegessen. Uns geht es gut, nur der Umzug in die größere Wohnung bereitet einiges Kopfzerbrechen. Vielleicht schaffst du es ja, uns über Pfingsten zu besuchen. Wir würden uns riesig freuen. Deine Hannelore',
    },
  },
  {
    name: 'French',
    subject: 'recipe',
    fitted: {
      o200k_base: 255,
      cl100k_base: 300,
      text: "Pour préparer cette tarte aux poireaux, comptez environ une heure et demie, cuisson comprise. Lavez soigneusement quatre beaux poireaux, coupez-les en rondelles fines, puis faites-les fondre à feu doux dans une noix de beurre, sans les laisser colorer. Pendant ce temps, étalez la pâte brisée dans un moule légèrement fariné et piquez le fond avec une fourchette. Dans un saladier, battez trois œufs avec vingt centilitres de crème fraîche, une pincée de muscade, du sel et du poivre fraîchement moulu. Ajoutez-y les légumes égouttés ainsi que cent grammes de gruyère râpé, mélangez, et versez l'ensemble sur la pâte. Enfournez à 180 degrés pendant trente-cinq minutes, jusqu'à ce que la surface soit bien dorée. Laissez reposer quelques instants avant de démouler : la garniture se tiendra mieux à la découpe. Servez tiède, accompagnée d'une salade de mâche aux noix. S'il en reste, elle se réchauffe très bien le lendemain, mais évitez le micro-ondes, qui ramollit la croûte.",
    },
    keptApart: {
      o200k_base: 77,
      cl100k_base: 95,
      text: "Bonjour, je n'arrive plus à me connecter à mon espace client depuis que j'ai changé d'adresse électronique. Le message affiché indique que l'identifiant est inconnu, alors que je reçois toujours vos factures. Pourriez-vous vérifier mon dossier et m'envoyer un nouveau lien ? Je vous remercie d'avance pour votre aide. Cordialement, Hélène Marchand",
    },
  },
  {
    name: 'Spanish',
    subject: 'story',
    fitted: {
      o200k_base: 221,
      cl100k_base: 259,
      text: 'La noche en que se fue la luz, mi abuela sacó del armario una caja de zapatos llena de velas y nos sentó a todos alrededor de la mesa. Afuera llovía con tanta fuerza que el patio parecía un estanque, y el perro, asustado por los truenos, se había escondido debajo de la cama. Entonces ella empezó a contar cómo había cruzado la sierra a pie cuando tenía quince años, con un burro viejo, dos mantas y una carta cosida dentro del abrigo. Nunca nos dijo qué decía aquella carta. Mi hermano quiso saber si la había abierto alguna vez, y ella sonrió sin responder, mientras la cera caía despacio sobre el mantel. Años después, al vaciar la casa, encontré el abrigo en el desván. El forro estaba descosido, pero alguien había vuelto a coserlo con hilo azul, puntada por puntada. Lo doblé con cuidado y lo guardé en mi maleta. Todavía no me he atrevido a mirar dentro.',
    },
    keptApart: {
      o200k_base: 76,
      cl100k_base: 90,
      text: 'Antes de encender la lavadora por primera vez, retire los cuatro tornillos de transporte de la parte trasera y tape los agujeros con las piezas de plástico incluidas. Conecte la manguera al grifo de agua fría, nivele las patas y haga funcionar un ciclo corto sin ropa. Conserve los tornillos por si necesita trasladar el aparato.',
    },
  },
  {
    name: 'Portuguese',
    subject: 'letter',
    fitted: {
      o200k_base: 221,
      cl100k_base: 281,
      text: 'Querida Beatriz, escrevo-te da varanda da casa dos meus pais, onde cheguei há três dias depois de uma viagem interminável de autocarro. O limoeiro que plantámos juntas no verão passado já dá sombra, imagina! A minha mãe insiste em alimentar-me como se eu tivesse passado fome em Lisboa, e o meu pai passa as manhãs a consertar um rádio que ninguém ouve. Sabes que finalmente decidi aceitar o emprego na escola de Évora? Começo em setembro, com duas turmas do quinto ano, e confesso que estou mais nervosa do que devia. Preciso de encontrar um quarto barato perto do centro, por isso, se conheceres alguém, avisa-me. A Teresa contou-me que o teu irmão melhorou muito e que já caminha sem ajuda; fiquei tão feliz que chorei no meio do mercado. Quando puderes, vem passar um fim de semana connosco. Há bicicletas, figos maduros e silêncio suficiente para dormires até ao meio-dia. Um abraço apertado da tua amiga, Margarida',
    },
    keptApart: {
      o200k_base: 74,
      cl100k_base: 91,
      text: 'A companhia de transportes anunciou ontem que os elétricos da linha 15 deixarão de circular durante as próximas seis semanas, devido a obras nos carris. Os passageiros poderão utilizar autocarros de substituição, que partem de dez em dez minutos. Segundo o porta-voz, os bilhetes mensais continuam válidos e não haverá aumento de preços.',
    },
  },
  {
    name: 'Italian',
    subject: 'instructions',
    fitted: {
      o200k_base: 277,
      cl100k_base: 302,
      text: "Prima di montare la libreria, controllate che nella scatola ci siano tutti i pezzi elencati nell'ultima pagina: sei ripiani, due fianchi, il pannello posteriore e un sacchetto con le viti. Lavorate in due persone su un tappeto morbido, per non graffiare il legno. Cominciate inserendo i perni nei fori più piccoli dei fianchi, spingendoli a mano senza usare il martello. Appoggiate poi il ripiano inferiore e stringete le viti lunghe con la chiave fornita, ma soltanto a metà: le serrerete del tutto alla fine, quando la struttura sarà perfettamente diritta. Fate scorrere il pannello nella scanalatura, dall'alto verso il basso, con il lato chiaro rivolto verso l'interno. Sollevate quindi il mobile lentamente, verificate con una livella che non penda e fissatelo alla parete con gli angolari di metallo, soprattutto se in casa vivono bambini piccoli. Ogni ripiano sopporta al massimo diciotto chili. Pulite le superfici con un panno umido; evitate alcol, detersivi aggressivi e spugne ruvide, che rovinerebbero la vernice.",
    },
    keptApart: {
      o200k_base: 85,
      cl100k_base: 96,
      text: 'Buongiorno, la settimana scorsa ho acquistato da voi un paio di stivali numero 39, ma quando ho aperto il pacco ho trovato due scarpe sinistre. Vorrei sostituirli oppure ricevere il rimborso. Potete mandare un corriere a ritirarli? Sono a casa ogni mattina fino alle undici. Grazie mille, Federica Lombardi',
    },
  },
  {
    name: 'Dutch',
    subject: 'review',
    fitted: {
      o200k_base: 212,
      cl100k_base: 292,
      text: "Vorige maand logeerden wij vier nachten in een klein hotel vlak bij de vuurtoren, en eerlijk gezegd hadden we er weinig van verwacht. De kamer rook naar versgeverfd hout en keek uit over de duinen, waar 's ochtends vroeg de schapen voorbijliepen. Het ontbijt was uitstekend: zelfgebakken brood, kaas van een boerderij uit de buurt, en eieren precies zoals je ze wilde. Alleen de verwarming maakte 's nachts een tikkend geluid, waardoor mijn vrouw de eerste nacht nauwelijks heeft geslapen. Toen we dat aan de receptie vertelden, kregen we meteen een andere kamer aangeboden, zonder bijbetaling en met een fles wijn erbij. Fietsen kun je gratis lenen, al zijn sommige banden behoorlijk versleten. Parkeren is lastig in het hoogseizoen, dus kom liever met de bus; de halte ligt op vijf minuten lopen. Voor gezinnen met jonge kinderen lijkt het me minder geschikt, want de trap is smal en steil. Wij komen volgend voorjaar zeker terug.",
    },
    keptApart: {
      o200k_base: 66,
      cl100k_base: 92,
      text: 'Geachte mevrouw Van Dijk, hierbij bevestigen wij uw afspraak op woensdag 14 oktober om kwart over negen. Neemt u alstublieft uw verzekeringspas en een overzicht van uw medicijnen mee. Bent u verhinderd, laat het ons dan uiterlijk een dag van tevoren weten, zodat wij iemand anders kunnen helpen.',
    },
  },
  {
    name: 'Swedish',
    subject: 'minutes of a meeting',
    fitted: {
      o200k_base: 307,
      cl100k_base: 368,
      text: 'Ordföranden hälsade alla välkomna och förklarade årsmötet öppnat klockan nitton. Närvarande var tjugotre medlemmar, vilket är fler än någonsin tidigare. Kassören redovisade föreningens ekonomi: intäkterna från loppmarknaden blev högre än beräknat, medan utgifterna för det nya bryggdäcket överskred budgeten med nästan elva tusen kronor. Mötet beviljade styrelsen ansvarsfrihet. Därefter diskuterades om båtplatserna ska fördelas genom lottning eller efter kötid. Åsikterna gick isär, och Gunilla Åkerström föreslog att en arbetsgrupp undersöker hur grannföreningarna gör innan något bestäms; förslaget bifölls enhälligt. Städdagen äger rum lördagen den nittonde april, och var och en tar med sig handskar och kratta. Kaffe och smörgåsar bjuds det på vid klubbstugan. Under övriga frågor påpekade flera att belysningen längs stigen fortfarande är trasig och att någon borde ringa kommunen. Styrelsen lovade att göra det redan nästa vecka. Till sist tackades valberedningen för sitt arbete med blommor, och ordföranden avslutade mötet. Vid protokollet: Lennart Sjöberg',
    },
    keptApart: {
      o200k_base: 78,
      cl100k_base: 87,
      text: 'Det var en gång en liten mus som bodde under golvet i ett bageri. Varje kväll, när bagaren hade släckt lampan och gått hem, kröp hon fram och åt av smulorna. Men en natt hittade hon en hel kanelbulle på en tallrik, med en lapp där det stod: Till dig, god jul!',
    },
  },
  {
    name: 'Danish',
    subject: 'instructions',
    fitted: {
      o200k_base: 258,
      cl100k_base: 295,
      text: 'Sådan skifter du dækket på din cykel: Vend cyklen på hovedet, så den står stabilt på sadel og styr, og løsn møtrikkerne på hjulet. Har du udvendige gear, skal du først skifte til det mindste tandhjul, for så er kæden nemmere at løfte af. Luk resten af luften ud gennem ventilen, og pres dækjernene ind under kanten, indtil den ene side er fri. Træk forsigtigt slangen ud, og mærk efter med fingrene på indersiden af dækket, om der sidder glasskår eller småsten. Pump den nye slange en smule op, læg den på plads uden folder, og skub dækkanten tilbage med tommelfingrene; brug helst ikke værktøj, da det let laver huller. Kontrollér hele vejen rundt, at slangen ikke sidder i klemme. Pump derefter op til det tryk, som står på siden af dækket, og sæt hjulet i igen. Spænd møtrikkerne skiftevis, prøv bremsen, og kør en kort tur, før du giver dig ud i trafikken.',
    },
    keptApart: {
      o200k_base: 88,
      cl100k_base: 105,
      text: 'Kære naboer, på lørdag fylder vores datter atten år, og det bliver fejret med musik i gården fra klokken otte. Vi skruer ned ved midnat, men det kan godt blive lidt højlydt inden da. I er meget velkomne til at kigge forbi og få et stykke lagkage. Mange hilsner fra Søren og Birgitte på tredje sal',
    },
  },
  {
    name: 'Finnish',
    subject: 'letter',
    fitted: {
      o200k_base: 416,
      cl100k_base: 531,
      text: 'Hyvä isännöitsijä, kirjoitan teille kerrostalomme saunavuoroista, joista asukkaat ovat viime viikkoina valittaneet toisilleen rappukäytävässä. Varauslista on kadonnut ilmoitustaululta jo kahdesti, eikä kukaan tunnu tietävän, kenelle perjantai-illan vuorot oikeastaan kuuluvat. Lisäksi pesuhuoneen lattiakaivo on tukossa ja pyykkituvan kuivausrumpu pitää niin kovaa ääntä, että alakerran vauvaperhe herää siihen jatkuvasti. Ehdotan, että otamme käyttöön sähköisen varausjärjestelmän, jollainen naapuritaloyhtiössä on toiminut moitteettomasti syksystä lähtien. Kustannukset olisivat kohtuulliset, noin kaksi euroa huoneistoa kohti kuukaudessa. Ikäihmisille, joilla ei ole älypuhelinta, voitaisiin edelleen tarjota mahdollisuus varata vuoronsa soittamalla huoltoyhtiöön. Pyydän myös, että putkimies kutsuttaisiin paikalle ennen joulua, jolloin vieraita on paljon ja saunaa lämmitetään päivittäin. Toivon, että asia otetaan esille seuraavassa hallituksen kokouksessa, ja olen mielelläni itse mukana kertomassa asukkaiden toiveista. Liitteenä on kolmentoista talouden allekirjoittama vetoomus sekä muutama valokuva rikkoutuneista laatoista. Vastaustanne odottaen ja hyvää alkanutta viikkoa toivottaen, Marjatta Heikkinen, asunto B 14. Parhaiten minut tavoittaa puhelimitse iltapäivisin, sillä aamut olen töissä kirjastossa. Varalla on naapurini Pentti Lahtinen, jonka numero löytyy ovesta.',
    },
    keptApart: {
      o200k_base: 130,
      cl100k_base: 156,
      text: 'Kuori perunat ja porkkanat, pilko ne pieniksi kuutioiksi ja keitä suolatussa vedessä melkein kypsiksi. Lisää lohipalat, purjosipuli sekä kuohukerma, ja anna keiton hautua miedolla lämmöllä kymmenisen minuuttia. Mausta valkopippurilla ja runsaalla tillillä. Tarjoile tuoreen ruisleivän kanssa. Keitto maistuu seuraavana päivänä vieläkin paremmalta, kunhan sitä ei keitetä uudelleen. Annoksesta riittää neljälle.',
    },
  },
  {
    name: 'Polish',
    subject: 'support request',
    fitted: {
      o200k_base: 389,
      cl100k_base: 455,
      text: 'Dzień dobry, trzy tygodnie temu zamówiłem w Państwa sklepie ekspres do kawy wraz z młynkiem, numer zamówienia 58213. Przesyłka dotarła z dwudniowym opóźnieniem, a po rozpakowaniu okazało się, że zbiornik na wodę jest pęknięty i przecieka. Natychmiast zgłosiłem reklamację przez formularz na stronie internetowej, jednak do dzisiaj nie otrzymałem żadnej odpowiedzi oprócz automatycznego potwierdzenia. Próbowałem również dzwonić na infolinię, lecz za każdym razem połączenie zostaje przerwane po kilkunastu minutach oczekiwania. Bardzo proszę o wyjaśnienie, kiedy mogę spodziewać się wymiany urządzenia albo zwrotu pieniędzy na konto. Zachowałem oryginalne opakowanie, dowód zakupu oraz zdjęcia uszkodzonej części, które przesyłam w załączniku. Nie chciałbym zwracać się do rzecznika konsumentów, ale zgodnie z regulaminem czternastodniowy termin rozpatrzenia już minął. Zależy mi na szybkim załatwieniu sprawy, ponieważ ekspres miał być prezentem na jubileusz moich teściów. Jeżeli wygodniej będzie wysłać sam zbiornik, chętnie wymienię go samodzielnie, pod warunkiem, że gwarancja pozostanie ważna. Z poważaniem, Grzegorz Wiśniewski. Najłatwiej skontaktować się ze mną mailowo, wieczorem, po godzinie osiemnastej. Dziękuję.',
    },
    keptApart: {
      o200k_base: 116,
      cl100k_base: 140,
      text: 'Wczoraj wieczorem nad północną częścią województwa przeszła gwałtowna burza z gradobiciem. Strażacy interweniowali ponad sto razy, głównie usuwając połamane gałęzie z jezdni i wypompowując wodę z piwnic. Bez prądu pozostaje jeszcze około dwóch tysięcy gospodarstw. Synoptycy ostrzegają, że w czwartek sytuacja może się powtórzyć. Nikt nie został ranny.',
    },
  },
  {
    name: 'Czech',
    subject: 'story',
    fitted: {
      o200k_base: 335,
      cl100k_base: 420,
      text: 'Starý hodinář Matěj bydlel v podkroví domu, ze kterého bylo vidět na celé náměstí. Každé ráno, ještě než zazvonily tramvaje, vystoupal po vrzajících schodech do radniční věže a natáhl obrovský stroj, který mu svěřil už jeho dědeček. Lidé ve městě si mysleli, že hodiny jdou samy od sebe, a nikdo se nikdy neptal, kdo jim pomáhá. Jednoho zimního dne však Matěj onemocněl a poprvé po čtyřiceti letech zůstal ležet pod peřinou. Ručičky se zastavily na tři čtvrtě na sedm. Pekařka zapomněla otevřít krám, děti přišly pozdě do školy a starosta zmeškal vlak do Olomouce. Teprve odpoledne si malá Anežka všimla, že z komína v podkroví nestoupá kouř. Vzala hrnec polévky, zaklepala na dveře a vyslechla si celý příběh. Od té doby chodí do věže dva: jeden natahuje závaží a druhý, o hodně menší, drží lucernu. A pekařka jim pokaždé nechává za dveřmi teplé rohlíky. Říká, že čas je třeba krmit.',
    },
    keptApart: {
      o200k_base: 110,
      cl100k_base: 147,
      text: 'Vážení zákazníci, z důvodu rekonstrukce bude naše prodejna od pondělí do středy uzavřena. Zásilky si můžete vyzvednout v pobočce na Žižkově, a to po předložení občanského průkazu. Objednávky přes internet vyřizujeme bez omezení. Děkujeme za trpělivost a těšíme se na vaši návštěvu v nových, světlejších prostorách.',
    },
  },
  {
    name: 'Hungarian',
    subject: 'recipe',
    fitted: {
      o200k_base: 416,
      cl100k_base: 498,
      text: 'A töltött paprika elkészítéséhez válasszunk nyolc közepes, vékony húsú, sárga paprikát, amelyek megállnak a talpukon. Vágjuk le a tetejüket, kaparjuk ki a magházat, majd öblítsük át őket hideg vízzel. A rizst forrázzuk le, és hagyjuk kihűlni, miközben a finomra vágott vöröshagymát kevés zsíron üvegesre pároljuk. Keverjük össze a darált húst a rizzsel, a hagymával, egy egész tojással, zúzott fokhagymával, sóval, borssal és csipetnyi őrölt köménnyel, aztán lazán töltsük meg vele a paprikákat, mert főzés közben a rizs megduzzad. A maradékból gombócokat formázhatunk. A mártáshoz pirítsunk világos rántást, öntsük fel másfél liter paradicsomlével, ízesítsük cukorral és néhány zellerlevéllel, végül helyezzük bele óvatosan a paprikákat. Lassú tűzön, fedő alatt nagyjából ötven percig főzzük, időnként megrázva a lábast, nehogy leragadjon. Keverőkanalat lehetőleg ne használjunk, hiszen könnyen kiszakadhatnak. Főtt burgonyával és friss kenyérrel tálaljuk. Akik a savanykásabb ízeket kedvelik, egy kanál tejföllel gazdagíthatják. Másnap felmelegítve még zamatosabb, ezért érdemes rögtön dupla adagot készíteni a családnak.',
    },
    keptApart: {
      o200k_base: 128,
      cl100k_base: 142,
      text: 'Kedves Zsuzsa, köszönöm a gyönyörű képeslapot, amelyet a Balatonról küldtél! Nálunk végre megjött a jó idő, a gyerekek egész délután az udvaron játszanak. Képzeld, Bence megtanult úszni, és most mindenkinek ezzel dicsekszik. Remélem, szeptemberben ti is eljöttök a szüretre, ahogyan megbeszéltük. Sokszor ölel benneteket: Erzsébet',
    },
  },
  {
    name: 'Romanian',
    subject: 'news item',
    fitted: {
      o200k_base: 301,
      cl100k_base: 352,
      text: 'Primăria orașului Făgărași a anunțat miercuri că piața agroalimentară din centru va fi mutată temporar în curtea fostei fabrici de textile, unde lucrările de amenajare s-au încheiat săptămâna trecută. Potrivit purtătorului de cuvânt, cei aproape o sută de producători locali vor primi gratuit mese, umbrele și acces la apă potabilă pe toată durata șantierului, estimată la opt luni. Clădirea veche, ridicată în anul 1934, are nevoie urgentă de consolidare, iar acoperișul lasă să pătrundă ploaia deasupra tarabelor cu brânzeturi. Unii comercianți se tem însă că își vor pierde clienții obișnuiți, mai ales pensionarii care locuiesc în apropiere și care nu pot parcurge distanțe mari. Pentru ei, municipalitatea promite un autobuz gratuit, de două ori pe zi. Proiectul costă unsprezece milioane de lei, din care trei sferturi provin din fonduri europene. Dacă iarna nu va fi prea aspră, noua hală își va deschide porțile înainte de sărbătorile pascale. Mâine are loc o dezbatere publică.',
    },
    keptApart: {
      o200k_base: 98,
      cl100k_base: 124,
      text: 'Pentru a reseta routerul, apăsați butonul mic din spatele aparatului cu vârful unui creion și țineți-l apăsat zece secunde. Așteptați până când luminița verde clipește încet, apoi conectați-vă la rețea folosind parola scrisă pe etichetă. Schimbați parola imediat după prima conectare. Dacă nu reușiți, sunați-ne.',
    },
  },
  {
    name: 'Turkish',
    subject: 'letter',
    fitted: {
      o200k_base: 350,
      cl100k_base: 451,
      text: 'Sevgili Elif, mektubunu dün akşam işten dönünce posta kutusunda buldum ve merdivenleri çıkarken okumaya başladım. Yeni evinize yerleştiğinize çok sevindim; fotoğraftaki balkonun manzarası gerçekten büyüleyici görünüyor. Buralarda kış bir türlü bitmek bilmiyor, sokaklar hâlâ buzlu, kömür kokusu bütün mahalleyi sarmış durumda. Geçen hafta dedemin doksanıncı yaş gününü kutladık. Bütün kuzenler toplandık, annem iki tepsi börek açtı, amcam da eski plakları çıkarıp gramofonda çaldı. Dedem her şarkıda gençliğinden bir hikâye anlattı, kimini daha önce hiç duymamıştık. Sınavlarım haziranda bitiyor, sonrasında birkaç günlüğüne yanına gelmeyi düşünüyorum, eğer senin için de uygunsa. Otobüs yolculuğu on dört saat sürüyormuş ama yanıma kalın bir roman alırım. Bana oradaki üniversitenin yüksek lisans programları hakkında bilgi gönderebilir misin? Hocam başvuruların nisan sonunda kapanacağını söyledi, elimi çabuk tutmam gerekiyor. Kediye benden selam söyle, umarım yeni koltukları tırmalamıyordur. Cevabını sabırsızlıkla bekliyorum, gözlerinden öperim. Not: Unuttuğun atkıyı kargoyla yolladım. Arkadaşın Zeynep',
    },
    keptApart: {
      o200k_base: 92,
      cl100k_base: 120,
      text: 'Kullanım kılavuzu: Cihazı düz bir zemine yerleştirin ve fişini topraklı prize takın. Hazneyi en fazla üst çizgiye kadar temiz suyla doldurun. Açma düğmesine bastıktan sonra yeşil ışık yanana kadar yaklaşık iki dakika bekleyin. Temizlemeden önce mutlaka fişi çekin ve cihazın soğuduğundan emin olun.',
    },
  },
  {
    name: 'Indonesian',
    subject: 'instructions',
    fitted: {
      o200k_base: 252,
      cl100k_base: 313,
      text: 'Sebelum menanam cabai di pekarangan, siapkan dahulu bibit yang sehat dan tanah yang gembur. Rendam biji dalam air hangat selama semalam, lalu buang biji yang mengapung karena biasanya tidak tumbuh dengan baik. Semaikan di wadah kecil berisi campuran tanah, sekam bakar, dan pupuk kandang dengan perbandingan yang sama. Letakkan di tempat teduh dan siram dua kali sehari menggunakan semprotan halus supaya benih tidak terhanyut. Setelah berumur empat minggu dan mempunyai lima helai daun, pindahkan bibit ke pot yang lebih besar pada sore hari. Berikan jarak sekitar lima puluh sentimeter antara tanaman agar sirkulasi udaranya lancar. Pasang tongkat bambu sebagai penyangga, dan ikat batangnya secara longgar. Periksa bagian bawah daun setiap pagi; jika terdapat kutu, semprotkan larutan bawang putih yang dicampur sedikit sabun. Hindari penyiraman berlebihan pada musim hujan sebab akarnya mudah membusuk. Buah pertama dapat dipetik setelah tiga bulan. Petiklah beserta tangkainya supaya tahan lama disimpan.',
    },
    keptApart: {
      o200k_base: 75,
      cl100k_base: 96,
      text: 'Selamat siang, saya ingin menanyakan status pengembalian dana untuk tiket kereta yang saya batalkan dua minggu lalu. Menurut aplikasi, prosesnya paling lambat tujuh hari kerja, tetapi uangnya belum masuk ke rekening saya. Nomor pemesanannya sudah saya lampirkan. Mohon bantuannya untuk memeriksa kembali. Terima kasih banyak.',
    },
  },
  {
    name: 'Swahili',
    subject: 'news item',
    fitted: {
      o200k_base: 277,
      cl100k_base: 382,
      text: 'Wizara ya Afya imetangaza kwamba kampeni ya chanjo dhidi ya surua itaanza Jumatatu ijayo katika mikoa yote ya pwani. Akizungumza na waandishi wa habari jijini Mombasa, mkurugenzi wa kinga alisema kuwa watoto zaidi ya laki tatu wenye umri wa chini ya miaka mitano wanatarajiwa kupata chanjo hiyo bila malipo. Wahudumu wa afya watatembelea vijiji, shule za chekechea na masoko kwa muda wa siku kumi, wakisaidiwa na viongozi wa dini pamoja na wazee wa mitaa. Mkurugenzi huyo aliwasihi wazazi wasisikilize uvumi unaosambazwa kwenye mitandao ya kijamii, akisisitiza kwamba chanjo ni salama na imetumika kwa miongo mingi. Hata hivyo, baadhi ya wakazi wamelalamikia ukosefu wa barabara nzuri zinazoelekea kwenye zahanati, hasa wakati wa mvua za masika. Serikali ya kaunti imeahidi kutoa magari manne yenye majokofu ili dawa zisiharibike njiani. Mwaka uliopita, wagonjwa mia mbili waliripotiwa, idadi ambayo ni kubwa kuliko ilivyokuwa katika kipindi cha miaka mitatu kabla ya hapo. Matokeo yatatolewa mwishoni mwa mwezi.',
    },
    keptApart: {
      o200k_base: 90,
      cl100k_base: 109,
      text: 'Hapo zamani za kale paliishi sungura mjanja aliyependa kula karanga za jirani yake, kobe. Siku moja kobe alichoka kuibiwa, akapaka utomvu kwenye mfuko wake. Sungura alipoingiza mkono, ulinasa kabisa. Aliomba msamaha huku akilia, na kobe akamwachilia baada ya kuahidi kwamba atalima shamba lake mwenyewe.',
    },
  },
  {
    name: 'Vietnamese',
    subject: 'recipe',
    fitted: {
      o200k_base: 290,
      cl100k_base: 446,
      text: 'Muốn nấu nồi canh chua cá lóc đúng vị miền Tây, trước hết bạn phải chọn con cá còn tươi, mắt trong và mang đỏ hồng. Cá làm sạch, cắt khúc dày chừng hai phân, ướp với một muỗng nước mắm, ít tiêu xay và hành tím băm nhuyễn trong mười lăm phút. Me chín dầm với nước nóng, lọc bỏ hạt rồi để riêng. Cà chua, thơm cắt miếng vừa ăn; bạc hà tước vỏ, thái xéo; đậu bắp rửa kỹ, bỏ cuống. Phi tỏi cho vàng, vớt ra chén, sau đó xào sơ cà chua để nước canh có màu đẹp. Đổ nước vào, đợi sôi bùng lên thì thả cá xuống, nhớ hớt bọt thường xuyên cho trong. Khi cá vừa chín tới, cho nước me, đường, muối, rồi lần lượt thêm thơm, đậu bắp, bạc hà và giá sống. Nêm lại sao cho vị chua, ngọt, mặn hài hòa. Tắt bếp, rắc ngò gai, rau om thái nhỏ, vài lát ớt và tỏi phi lên trên. Món này ăn nóng với cơm trắng hoặc bún đều ngon.',
    },
    keptApart: {
      o200k_base: 78,
      cl100k_base: 132,
      text: 'Kính gửi ban quản lý chung cư, thang máy ở khu B đã hỏng từ tối thứ bảy và nhiều người già phải leo bộ lên tầng mười hai. Chúng tôi đã gọi bảo trì ba lần nhưng chưa thấy ai đến. Mong quý vị cho sửa gấp trong hôm nay. Xin cảm ơn. Thay mặt cư dân, Nguyễn Thị Hạnh',
    },
  },
  {
    name: 'Russian',
    subject: 'review',
    fitted: {
      o200k_base: 277,
      cl100k_base: 498,
      text: 'Купила этот рюкзак перед поездкой на Алтай и могу наконец рассказать о нём подробно. За две недели похода он побывал под ливнем, в реке и даже под копытами лошади, причём швы нигде не разошлись. Спинка регулируется по росту, широкий пояс хорошо распределяет нагрузку, поэтому плечи почти не уставали, хотя вес иногда доходил до восемнадцати килограммов. Понравились боковые карманы на молнии: туда помещаются бутылка, карта и перекус, не нужно каждый раз останавливаться и всё вытряхивать. Чехол от дождя лежит в отдельном отделении на дне, но сидит слишком свободно, и сильный ветер его срывает; пришлось подвязать верёвкой. Ещё огорчила застёжка на груди, она расстёгивается сама, если резко наклониться. Написала продавцу, и через пять дней мне бесплатно прислали новую, более прочную. Цвет на фотографии ярче, чем в действительности. Для невысоких девушек советую брать меньший размер. В целом покупкой довольна, за такие деньги лучшего не найти. Следующим летом собираюсь с ним в Карелию.',
    },
    keptApart: {
      o200k_base: 88,
      cl100k_base: 147,
      text: 'Уважаемые пассажиры! В связи с ремонтом путей электричка до станции Берёзовая сегодня отправится с четвёртой платформы на двадцать минут позже. Просим обратить внимание на изменённое расписание и сохранять билеты до конца поездки. Автобус, который встречает поезд, подождёт опаздывающих. Приносим извинения за доставленные неудобства.',
    },
  },
  {
    name: 'Ukrainian',
    subject: 'letter',
    fitted: {
      o200k_base: 376,
      cl100k_base: 589,
      text: "Дорога бабусю, нарешті маю вільну хвилину, щоб розповісти тобі, як ми живемо у Львові. Квартира невелика, зате затишна, з високою стелею і піччю, оздобленою блакитними кахлями. Щоранку під вікнами дзеленчить трамвай, а з пекарні навпроти пахне маковими рогаликами, тому я вже двічі запізнилася на лекції. Навчання цікаве, хоча й виснажливе: анатомію доводиться зубрити до пізньої ночі. Сусідка, пані Стефанія, ставиться до мене як до рідної онуки, пригощає варениками з вишнями та позичає книжки. Тарас влаштувався на роботу в майстерню, де реставрують старовинні меблі, і весь час ходить у тирсі, але щасливий. На вихідних ми їздили в Карпати, збирали чорниці й бачили справжнього оленя! Як твоє здоров'я? Чи перестало боліти коліно, чи допомогла мазь, яку я передала через дядька Богдана? Не піднімай, будь ласка, важких відер, попроси хлопців. Приїдемо на Різдво, якщо не завадять снігові замети. Привезу тобі теплу хустку. Міцно обіймаю й цілую, твоя Соломія",
    },
    keptApart: {
      o200k_base: 94,
      cl100k_base: 175,
      text: "Шановні мешканці, завтра з дев'ятої ранку до третьої години дня в будинку не буде холодної води через заміну труб у підвалі. Радимо зробити запас заздалегідь. Ліфт працюватиме у звичайному режимі. Якщо після відновлення постачання вода буде каламутною, зачекайте десять хвилин, не закриваючи кран.",
    },
  },
  {
    name: 'Greek',
    subject: 'support request',
    fitted: {
      o200k_base: 339,
      cl100k_base: 839,
      text: 'Καλησπέρα σας, πριν από δέκα μέρες αγόρασα από το κατάστημά σας στη Θεσσαλονίκη ένα ασύρματο ακουστικό, το οποίο αποσυνδέεται συνεχώς από το κινητό μου. Στην αρχή νόμιζα ότι έφταιγε η μπαταρία, όμως το πρόβλημα παραμένει ακόμη και όταν είναι πλήρως φορτισμένη. Ακολούθησα προσεκτικά τις οδηγίες του εγχειριδίου, διέγραψα τη σύζευξη, επανεκκίνησα και τις δύο συσκευές και εγκατέστησα την τελευταία ενημέρωση, χωρίς κανένα αποτέλεσμα. Παρατήρησα επίσης ότι το δεξί ακουστικό ζεσταίνεται υπερβολικά μετά από μισή ώρα χρήσης, πράγμα που με ανησυχεί ιδιαίτερα. Θα ήθελα να μάθω αν μπορώ να το επιστρέψω και να πάρω πίσω τα χρήματά μου ή αν προτιμάτε να το στείλω για επισκευή. Έχω κρατήσει την απόδειξη και το αρχικό κουτί. Επειδή ταξιδεύω συχνά για επαγγελματικούς λόγους, σας παρακαλώ να μου απαντήσετε μέσα στην εβδομάδα, ώστε να προλάβω να το φέρω ο ίδιος. Σας ευχαριστώ εκ των προτέρων για την κατανόηση και τον χρόνο σας. Με εκτίμηση, Νικόλαος Παπαδημητρίου',
    },
    keptApart: {
      o200k_base: 118,
      cl100k_base: 244,
      text: 'Ζεστάνετε τον φούρνο στους διακόσιους βαθμούς. Κόψτε τις μελιτζάνες σε φέτες, αλατίστε τις και αφήστε τις να στραγγίσουν για μισή ώρα. Τηγανίστε ελαφρά, στρώστε τις στο ταψί και σκεπάστε με τον κιμά και την κρέμα. Ψήστε ώσπου να ροδίσει η επιφάνεια και σερβίρετε αφού κρυώσει λίγο.',
    },
  },
  {
    name: 'Georgian',
    subject: 'story',
    fitted: {
      o200k_base: 337,
      cl100k_base: 1762,
      text: 'ერთხელ მთის პატარა სოფელში ცხოვრობდა მოხუცი მეთუნე, რომელსაც მთელ ხეობაში იცნობდნენ. მისი დოქები ისეთი მსუბუქი და გამძლე იყო, რომ ვაჭრები შორეული ქალაქებიდან ჩამოდიოდნენ მათ საყიდლად. მოხუცს შვილები არ ჰყავდა და ყოველ საღამოს სახლის წინ მარტო იჯდა, უყურებდა, როგორ ბრუნდებოდა ნახირი საძოვრიდან. ერთ შემოდგომაზე მასთან უცნობი ბიჭი მივიდა და სთხოვა, ხელობა ესწავლებინა. მეთუნემ გაიცინა: თიხას მოთმინება უყვარს, შენ კი ჯერ ძალიან ჩქარობ. ბიჭი მაინც დარჩა. მთელი ზამთარი შეშას ჩეხდა, წყალს ეზიდებოდა და თიხას ზელდა, ისე რომ ჩარხს არც მიჰკარებია. გაზაფხულზე, როცა თოვლი დადნა, მოხუცმა უხმოდ დაუთმო ადგილი. პირველი დოქი მრუდე გამოვიდა, მეორე გაიბზარა, მესამე კი ისე ლამაზად ბრწყინავდა მზეზე, რომ მეზობლები გასაოცრად შეიკრიბნენ. მას შემდეგ სახლის წინ საღამოობით ორი ადამიანი ზის. ზოგჯერ საუბრობენ, უფრო ხშირად კი ჩუმად უსმენენ მდინარის ხმას. ხეობაში კი ამბობენ, რომ საუკეთესო ღვინო მხოლოდ მათ დოქებში ინახება და არასოდეს მჟავდება. ბავშვები მათთან ხშირად მიდიან სათამაშოდ.',
    },
    keptApart: {
      o200k_base: 129,
      cl100k_base: 674,
      text: 'გამარჯობა, გუშინ თქვენი საიტიდან შევიძინე ორი ბილეთი თბილისიდან ბათუმში, მაგრამ ელექტრონულ ფოსტაზე მხოლოდ ერთი მივიღე. თანხა ბარათიდან სრულად ჩამომეჭრა. გთხოვთ, შეამოწმოთ ჩემი შეკვეთა და გამომიგზავნოთ მეორე ბილეთიც, რადგან ხვალ დილით მივემგზავრებით. ქვითარს წერილს ვურთავ. წინასწარ გიხდით მადლობას. პატივისცემით, ნინო ბერიძე, ტელეფონის ნომერი მითითებულია ანგარიშზე.',
    },
  },
  {
    name: 'Hebrew',
    subject: 'news item',
    fitted: {
      o200k_base: 334,
      cl100k_base: 866,
      text: 'עיריית חיפה הודיעה אתמול כי שביל הטיילת שלאורך החוף ייפתח מחדש לקראת סוף החודש, לאחר שיפוץ ממושך שנמשך כמעט שנתיים. במסגרת העבודות הוחלפו המעקות החלודים, ניטעו מאה ועשרים עצי צל, והותקנו ספסלים, ברזיות ותאורה חסכונית. לראשונה נסללה גם רצועה נפרדת לרוכבי אופניים, כדי למנוע את ההתנגשויות התכופות עם הולכי הרגל. ראש העיר אמרה בטקס קצר שהפרויקט הסתיים במסגרת התקציב, אף שסופות החורף גרמו נזקים קשים לקיר התומך. התושבים מרוצים ברובם, אך בעלי המסעדות הסמוכות טוענים שהפסידו הכנסות רבות ודורשים פיצוי מלא על חודשי הסגירה. נציג העירייה מסר בתגובה כי הבקשות ייבחנו בקפידה וכל מקרה יידון לגופו. בשבוע הבא תתקיים במקום חגיגה לכל המשפחה, עם להקות נוער, דוכני אוכל וסדנאות יצירה לילדים. הכניסה חופשית, ומומלץ להגיע בתחבורה ציבורית מפני שהחניון הגדול עדיין סגור. בהמשך השנה צפוי להתחיל השלב השני, שיחבר את הטיילת אל הנמל הישן ואל תחנת הרכבת החדשה. סיור מודרך ייערך בכל יום שישי בבוקר.',
    },
    keptApart: {
      o200k_base: 104,
      cl100k_base: 248,
      text: 'אמא יקרה, הגענו בשלום אחרי טיסה ארוכה ומעייפת. הדירה נעימה ומוארת, אבל המזגן מרעיש והשכנים מנגנים בפסנתר עד חצות. מחר אני מתחיל ללמוד, וקצת מתרגש. קניתי מחברות, עט חדש ותיק גדול. תמסרי לסבתא שאני אוכל היטב, ושהעוגיות שלה נגמרו כבר במטוס. נשיקות, יונתן',
    },
  },
  {
    name: 'Arabic',
    subject: 'instructions',
    fitted: {
      o200k_base: 282,
      cl100k_base: 616,
      text: 'قبل استخدام آلة الخياطة للمرة الأولى، ضعها على طاولة ثابتة بعيدا عن الشمس والرطوبة، وتأكد من أن الجهد الكهربائي يناسب المقبس في منزلك. ارفع القدم الضاغطة، ثم مرر الخيط العلوي عبر الفتحات المرقمة بالترتيب حتى يصل إلى ثقب الإبرة. املأ المكوك بخيط من اللون نفسه وضعه في مكانه بحيث يدور عكس اتجاه عقارب الساعة. اختر الغرزة المناسبة من القرص الجانبي، وجربها على قطعة قماش قديمة قبل أن تبدأ العمل الحقيقي. لا تسحب القماش بيدك، بل وجهه برفق ودع الأسنان المعدنية تدفعه وحدها، وإلا انكسرت الإبرة. إذا تشابك الخيط في الأسفل، فأوقف الآلة فورا، واقطع العقدة بالمقص، وأعد تركيب المكوك بعناية. نظف الغبار المتراكم بفرشاة ناعمة كل أسبوع، وضع قطرة واحدة من الزيت الخاص في المواضع المبينة بالرسم. استبدل الإبرة بعد ثماني ساعات من الخياطة تقريبا. افصل السلك دائما عند الانتهاء، واحفظ الجهاز مغطى بعيدا عن متناول الأطفال. للاستفسار، اتصلوا بمركز الصيانة المعتمد خلال أوقات الدوام الرسمي.',
    },
    keptApart: {
      o200k_base: 97,
      cl100k_base: 187,
      text: 'عزيزتي سلمى، وصلتني هديتك الجميلة صباح أمس، ولا أستطيع أن أصف لك مقدار فرحتي بها. علقت اللوحة فوق المكتب، وكل من زارنا سأل عن اسم الرسامة. أحوالنا بخير، وأختي ستتزوج في الربيع إن شاء الله. متى ستأتين لزيارتنا؟ أمي تعد لك المعمول منذ الآن. صديقتك المشتاقة، ريم',
    },
  },
  {
    name: 'Hindi',
    subject: 'support request',
    fitted: {
      o200k_base: 239,
      cl100k_base: 798,
      text: 'नमस्ते, मैंने पिछले शुक्रवार को आपकी वेबसाइट से एक बिजली का पंखा मँगवाया था, लेकिन जो डिब्बा आज दोपहर घर पहुँचा, उसमें पंखे की जगह एक टूटी हुई इस्त्री निकली। पार्सल पहले से खुला हुआ लग रहा था और उस पर चिपकाई गई पट्टी भी फटी हुई थी। मैंने उसी समय डिलीवरी करने वाले लड़के को बताया, मगर उसने कहा कि वापसी की व्यवस्था केवल ग्राहक सेवा ही कर सकती है। इसके बाद मैंने तीन बार फ़ोन किया, हर बार लंबा संगीत सुनाई दिया और फिर संपर्क अपने आप कट गया। भुगतान मैंने क्रेडिट कार्ड से किया था, रसीद और तस्वीरें इस संदेश के साथ भेज रहा हूँ। कृपया गलत सामान वापस ले जाइए और सही पंखा जल्द से जल्द भिजवाइए, क्योंकि गर्मी बहुत बढ़ गई है और घर में बुज़ुर्ग माता-पिता रहते हैं। अगर वह मॉडल अब उपलब्ध नहीं है, तो पूरी रकम मेरे खाते में लौटा दीजिए। उम्मीद है कि आप दो दिनों के भीतर जवाब देंगे। धन्यवाद, राजेश त्रिपाठी',
    },
    keptApart: {
      o200k_base: 82,
      cl100k_base: 297,
      text: 'राजधानी में मंगलवार सुबह घने कोहरे के कारण दर्जनों रेलगाड़ियाँ देरी से चलीं और कई उड़ानें रद्द करनी पड़ीं। मौसम विभाग का अनुमान है कि अगले दो दिनों तक ठंड और बढ़ेगी। प्रशासन ने प्राथमिक विद्यालयों को दस बजे से पहले न खोलने का निर्देश दिया है और बेघर लोगों के लिए अतिरिक्त रैन बसेरे बनाए हैं।',
    },
  },
  {
    name: 'Bengali',
    subject: 'story',
    fitted: {
      o200k_base: 328,
      cl100k_base: 1006,
      text: 'নদীর ধারে ছোট্ট একটা গ্রামে হারাধন নামে এক বুড়ো মাঝি থাকত। সারাদিন সে যাত্রী পারাপার করত, আর সন্ধ্যা হলে নৌকা বেঁধে বাঁশি বাজাত। তার বাঁশির সুর শুনে গাছের পাখিরাও নাকি চুপ করে যেত। একবার ভরা বর্ষায় নদী ফুলেফেঁপে উঠল, ওপারের বাঁধ ভেঙে জল ঢুকে পড়ল ধানখেতে। রাত তখন গভীর, সবাই ঘুমিয়ে আছে। হারাধন একা নৌকা নিয়ে বেরিয়ে পড়ল, আর এমন জোরে বাঁশি বাজাতে লাগল যে সমস্ত পাড়া জেগে উঠল। লোকজন ছুটে এসে গরু, বাছুর, শিশু আর বৃদ্ধদের উঁচু স্কুলবাড়িতে সরিয়ে নিল। ভোরের আলো ফুটলে দেখা গেল, কারও কোনো ক্ষতি হয়নি, শুধু মাঝির নৌকাটা স্রোতে ভেসে গেছে। গ্রামের মানুষ চাঁদা তুলে তাকে নতুন একটা নৌকা বানিয়ে দিল, লাল রং করা, পালে সূর্যের ছবি। হারাধন কেবল হেসে বলল, বাঁশিটা তো রয়ে গেছে, সেটাই যথেষ্ট। এখনও বর্ষার রাতে লোকেরা কান পেতে সেই সুর শোনে, আর বাচ্চারা মায়ের কাছে গল্পটা বারবার শুনতে চায়। কেউ কেউ বলে, সেই সুরেই নাকি মেঘ সরে যায়।',
    },
    keptApart: {
      o200k_base: 112,
      cl100k_base: 348,
      text: 'উপকরণগুলো আগে থেকে গুছিয়ে রাখুন। মাছের টুকরোয় হলুদ আর নুন মাখিয়ে গরম তেলে হালকা ভেজে তুলুন। একই কড়াইয়ে কালোজিরে, কাঁচালঙ্কা ও বেগুন দিয়ে নাড়ুন, তারপর সরষে বাটা গুলে ঢেলে দিন। ঝোল ফুটে উঠলে মাছ ছেড়ে ঢাকা দিন। দশ মিনিট পর ধনেপাতা ছড়িয়ে গরম ভাতের সঙ্গে পরিবেশন করুন।',
    },
  },
  {
    name: 'Tamil',
    subject: 'instructions',
    fitted: {
      o200k_base: 354,
      cl100k_base: 1391,
      text: 'வீட்டுத் தோட்டத்தில் தக்காளி வளர்ப்பது மிகவும் எளிது, கொஞ்சம் பொறுமை இருந்தால் போதும். முதலில் நல்ல தரமான விதைகளைத் தேர்ந்தெடுத்து, அவற்றை ஒரு நாள் முழுவதும் தண்ணீரில் ஊற வையுங்கள். சிறிய தொட்டிகளில் செம்மண், மணல், மாட்டுச் சாணம் ஆகியவற்றைச் சம அளவில் கலந்து நிரப்புங்கள். விதைகளை அரை அங்குல ஆழத்தில் ஊன்றி, மெல்லிய துணியால் மூடி நிழலில் வைக்கவும். ஏழு நாட்களில் முளைகள் வெளியே தெரியும். செடிகள் ஒரு சாண் உயரம் வளர்ந்ததும், வெயில் படும் இடத்திற்கு மாற்றி, ஒவ்வொன்றுக்கும் இடையே இரண்டு அடி இடைவெளி விடுங்கள். காலையும் மாலையும் அளவாக நீர் ஊற்றுங்கள்; வேர் அழுகாமல் இருக்க, தேங்கும் நீரை உடனே வடிய விடவும். தண்டு சாயாதபடி மூங்கில் குச்சியை நட்டுக் கட்டுங்கள். பூச்சிகள் வந்தால் வேப்பெண்ணெய்க் கரைசலைத் தெளிக்கலாம், இரசாயன மருந்துகள் தேவையில்லை. பூக்கள் உதிர்ந்து காய் பிடிக்கும்போது மண்புழு உரம் இடுவது விளைச்சலை அதிகரிக்கும். மூன்று மாதங்களுக்குப் பிறகு சிவந்த பழங்களைப் பறித்துச் சமையலுக்குப் பயன்படுத்தலாம். எஞ்சிய விதைகளைக் காயவைத்து அடுத்த ஆண்டுக்குச் சேமித்து வையுங்கள். பக்கத்து வீட்டுக்காரர்களுக்கும் கொஞ்சம் கொடுத்து மகிழுங்கள்.',
    },
    keptApart: {
      o200k_base: 116,
      cl100k_base: 470,
      text: 'அன்புள்ள அண்ணா, நலமாக இருக்கிறீர்களா? இங்கே அனைவரும் நலம். நேற்று பள்ளியில் நடந்த ஓவியப் போட்டியில் எனக்கு முதல் பரிசு கிடைத்தது. அப்பா மகிழ்ச்சியில் எல்லோருக்கும் இனிப்பு வாங்கிக் கொடுத்தார். பொங்கலுக்கு நீங்கள் ஊருக்கு வரும்போது அந்தப் படத்தைக் காட்டுகிறேன். சென்னையில் மழை குறைந்துவிட்டதா? உங்கள் கடிதத்தை எதிர்பார்த்துக் காத்திருக்கிறேன். அன்புடன், கவிதா',
    },
  },
  {
    name: 'Thai',
    subject: 'review',
    fitted: {
      o200k_base: 370,
      cl100k_base: 804,
      text: 'เมื่อสัปดาห์ก่อนผมพาครอบครัวไปพักที่รีสอร์ตเล็กๆ ริมแม่น้ำแคว จังหวัดกาญจนบุรี จองไว้สองคืนผ่านโทรศัพท์ เจ้าของใจดีมาก ออกมารอรับถึงปากทางเพราะกลัวเราหลง ห้องพักเป็นเรือนไม้ยกพื้นสูง สะอาด มีมุ้งและพัดลมให้ แต่ไม่มีเครื่องปรับอากาศ ซึ่งตอนกลางคืนลมเย็นจนไม่รู้สึกว่าขาดอะไร อาหารเช้าเป็นข้าวต้มปลากับผลไม้ตามฤดูกาล รสชาติกลมกล่อม เด็กๆ ชอบกินขนมครกที่คุณยายข้างบ้านทำมาฝากทุกวัน กิจกรรมที่สนุกที่สุดคือการล่องแพไม้ไผ่ คนพายเล่าเรื่องสมัยสงครามให้ฟังตลอดทาง ลูกสาวผมถึงกับจดใส่สมุดบันทึก ข้อเสียมีอยู่บ้าง เช่น สัญญาณอินเทอร์เน็ตอ่อนมาก ห้องน้ำค่อนข้างแคบ และถนนเข้าช่วงสุดท้ายขรุขระ รถเก๋งต้องขับช้าๆ ระวังท้องรถครูด ส่วนราคาถือว่าคุ้มค่าเมื่อเทียบกับบริการ ใครอยากหนีความวุ่นวายในกรุงเทพฯ แนะนำให้ลองมาสักครั้ง แต่ควรหลีกเลี่ยงวันหยุดยาว เพราะนักท่องเที่ยวเยอะและต้องจองล่วงหน้าเป็นเดือน ปีหน้าเราตั้งใจจะกลับมาอีกแน่นอน คราวนี้จะชวนคุณพ่อคุณแม่มาด้วย',
    },
    keptApart: {
      o200k_base: 112,
      cl100k_base: 266,
      text: 'เรียนลูกค้าทุกท่าน ธนาคารจะปิดปรับปรุงระบบในคืนวันเสาร์ ตั้งแต่เที่ยงคืนถึงหกโมงเช้า ระหว่างนั้นท่านจะไม่สามารถโอนเงินหรือถอนเงินผ่านตู้อัตโนมัติได้ กรุณาเตรียมเงินสดไว้ให้เพียงพอ หากพบปัญหาหลังจากเวลาดังกล่าว โปรดติดต่อเจ้าหน้าที่ได้ตลอดยี่สิบสี่ชั่วโมง ขออภัยในความไม่สะดวกมา ณ ที่นี้',
    },
  },
  {
    name: 'Chinese',
    subject: 'letter',
    fitted: {
      o200k_base: 342,
      cl100k_base: 532,
      text: '亲爱的表姐：好久没有给你写信了，最近过得怎么样？我们一家上个月搬到了苏州，房子在老城区的一条小巷里，推开窗就能看见河，早上常有人撑着船卖菱角和莲蓬。儿子刚上小学二年级，换了新学校有点不习惯，不过前天带回来一个同桌，两个人趴在地板上拼了一下午的积木，看来不用我操心了。我还在原来的公司做会计，只是改成了在家办公，每星期去一次上海开会，坐高铁半个小时就到，比以前挤地铁还轻松。妈妈的身体恢复得不错，医生说再吃两个疗程的中药就可以停了，她现在每天傍晚去公园跟邻居学太极拳，认识了不少朋友，笑声也多起来。你上次寄来的腊肉和辣椒酱已经吃完了，大家都说味道正宗，爸爸还把罐子洗干净留着，说等你下回再装满。听说你打算自己开一家书店，我觉得这个想法很好，虽然现在看纸质书的人少了，但是你那么懂得挑书，又会泡咖啡，一定能吸引年轻人。需要帮忙算账或者办手续的话尽管开口。国庆节我们想回成都看望外婆，到时候一起去吃火锅吧。祝一切顺利！妹妹 晓雯',
    },
    keptApart: {
      o200k_base: 102,
      cl100k_base: 152,
      text: '本市气象台今天下午发布暴雨橙色预警，预计未来六小时内，北部山区降雨量将超过八十毫米，局部地区可能出现山洪和滑坡。教育部门通知，明天上午所有幼儿园和中小学停课，下午是否恢复将另行公布。地铁三号线部分站点已经临时关闭，请市民尽量减少外出，远离河道和低洼路段。',
    },
  },
  {
    name: 'Japanese',
    subject: 'recipe',
    fitted: {
      o200k_base: 398,
      cl100k_base: 537,
      text: '今日は冷蔵庫の残り野菜で作る、体が温まる豚汁を紹介します。材料は四人分で、豚ばら肉百五十グラム、大根四分の一本、にんじん一本、ごぼう半分、こんにゃく一枚、長ねぎ、油揚げ、そして味噌です。まず、ごぼうはたわしで泥を洗い流し、ささがきにして水にさらしておきます。大根とにんじんは皮をむいて、いちょう切りにしましょう。こんにゃくはスプーンでちぎり、下ゆでして臭みを抜きます。鍋にごま油を熱し、豚肉を炒めて色が変わったら、硬い野菜から順番に加えて全体に油をなじませてください。だし汁を注ぎ、沸騰したらあくを丁寧に取り除き、弱火で十五分ほど煮ます。竹串がすっと通るくらい柔らかくなったら、味噌の半量を溶き入れて、さらに五分煮込むのがおいしさの秘訣です。最後に残りの味噌とねぎを加え、煮立つ直前に火を止めます。お椀に盛り、お好みで七味唐辛子やおろし生姜を添えてどうぞ。翌日は味がしみて一段とおいしくなりますし、うどんを入れれば立派な昼食にもなります。冷凍する場合は、こんにゃくを取り出しておくと食感が損なわれません。',
    },
    keptApart: {
      o200k_base: 101,
      cl100k_base: 140,
      text: '拝啓、先日は遠いところをお越しいただき、誠にありがとうございました。久しぶりにゆっくりお話しできて、父もたいへん喜んでおりました。お忘れになった傘は、玄関でお預かりしております。来週そちらへ伺う用事がありますので、その際にお持ちいたします。どうぞお体を大切になさってください。敬具',
    },
  },
  {
    name: 'Korean',
    subject: 'support request',
    fitted: {
      o200k_base: 312,
      cl100k_base: 527,
      text: '안녕하세요, 지난주 목요일에 구입한 공기청정기가 하루에도 몇 번씩 저절로 꺼져서 문의드립니다. 처음에는 콘센트가 헐거워서 그런 줄 알고 다른 방으로 옮겨 보았지만 증상이 똑같았습니다. 전원이 꺼질 때마다 빨간 불이 세 번 깜박이고 타는 듯한 냄새가 약하게 납니다. 설명서에는 필터를 청소하라고 적혀 있어서 그대로 했는데도 전혀 나아지지 않았어요. 집에 생후 육 개월 된 아기가 있어서 혹시 화재로 이어질까 봐 무척 걱정됩니다. 고객센터에 전화했더니 상담원이 주말이 지나야 기사님을 보내 줄 수 있다고 하더군요. 하지만 저희 부부는 둘 다 직장에 다니기 때문에 평일 낮에는 집을 비웁니다. 가능하다면 토요일 오전이나 저녁 일곱 시 이후에 방문해 주시면 좋겠습니다. 수리가 어렵다면 새 제품으로 교환하거나 환불을 받고 싶습니다. 구매 영수증과 고장 장면을 찍은 동영상을 함께 첨부합니다. 상자와 포장재도 버리지 않고 보관하고 있습니다. 연락은 문자 메시지로 주시는 편이 가장 빠릅니다. 바쁘시겠지만 되도록 빨리 답변해 주시기를 부탁드립니다. 감사합니다. 이수진 드림',
    },
    keptApart: {
      o200k_base: 103,
      cl100k_base: 168,
      text: '옛날 어느 산골에 마음씨 착한 나무꾼이 늙은 어머니를 모시고 살았습니다. 눈이 펑펑 내리던 날, 그는 덫에 걸린 토끼 한 마리를 구해 주었어요. 그날 밤부터 아침마다 문 앞에 밤과 도토리가 수북이 쌓여 있었습니다. 모자는 봄이 올 때까지 배고픈 줄 모르고 겨울을 났답니다.',
    },
  },
];

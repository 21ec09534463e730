/* Short texts on two subjects, football and baking, in languages other than English. The last of each subject is for
 * testing; its words stand in other forms than in those before it. */
#ifndef SCENT_TESTS_EXAMPLES_LANGUAGES_H
#define SCENT_TESTS_EXAMPLES_LANGUAGES_H

enum { LANGUAGE_TEXTS = 4 };

static const struct language_sample {
    const char *lang;
    const char *football[LANGUAGE_TEXTS], *baking[LANGUAGE_TEXTS];
} language_samples[] = {
    {"de",
     {"Die Mannschaft gewann das Spiel mit drei Toren, und der Trainer lobte die Stürmer.",
      "Im Stadion sahen die Zuschauer, wie der Torwart den Elfmeter hielt und der Schiedsrichter das Tor nicht gab.",
      "Der Verein hat einen neuen Stürmer, der in der letzten Saison zwanzig Tore für seine Mannschaft schoss.",
      "Beide Mannschaften spielten ohne Tor, obwohl die Trainer vor den Spielen mehr Stürmer verlangten."},
     {"Das Brot wird aus Mehl, Wasser und Salz gebacken, und der Teig muss über Nacht ruhen.",
      "Man knetet den Teig mit der Hefe, bis er sich vom Rand löst, und schiebt ihn dann in den Ofen.",
      "Für den Kuchen rührt man Zucker, Butter und Mehl, und im heißen Ofen wird die Kruste braun.",
      "Wer gute Brote backen will, nimmt frische Hefe, lässt die Teige ruhen und heizt den Ofen vor."}},
    {"fr",
     {"L'équipe a gagné le match par trois buts, et l'entraîneur a félicité les joueurs.",
      "Dans le stade, le gardien a arrêté le ballon et l'arbitre a refusé le but de l'équipe.",
      "Le club a un nouveau joueur qui a marqué vingt buts pendant la dernière saison de football.",
      "Les deux équipes jouaient des matchs sans but, et les gardiens arrêtaient tous les ballons."},
     {"Le pain est fait de farine, d'eau et de sel, et la pâte doit reposer toute la nuit.",
      "On pétrit la pâte avec la levure, puis on la met dans le four très chaud.",
      "Pour le gâteau, il faut du sucre, du beurre et de la farine, et la croûte devient brune au four.",
      "Pour de bons pains, le boulanger prend des farines fraîches, laisse reposer les pâtes et chauffe les fours."}},
    {"ru",
     {"Команда выиграла матч со счётом три ноль, и тренер похвалил игроков.",
      "На стадионе вратарь поймал мяч, а судья не засчитал гол этой команды.",
      "У клуба новый нападающий, который забил двадцать голов в прошлом футбольном сезоне.",
      "Обе команды сыграли матчи без голов, и вратари ловили все мячи на стадионах."},
     {"Хлеб пекут из муки, воды и соли, и тесто должно стоять всю ночь.",
      "Тесто месят с дрожжами, пока оно не станет мягким, а потом ставят в горячую печь.",
      "Для пирога нужны сахар, масло и мука, и в печи корка становится коричневой.",
      "Пекарь берёт свежую муку и дрожжи, даёт тесту постоять и ставит хлеба в печь."}},
    {"zh",
     {"足球队以三比零赢得了比赛,教练表扬了前锋和守门员。",
      "球场上守门员扑出了点球,裁判没有承认这个进球,球迷很失望。",
      "俱乐部签下一名新前锋,他上个赛季为球队打进二十个进球。",
      "两支足球队的守门员表现很好,比赛没有进球,教练要求前锋多射门。"},
     {"面包用面粉、水和盐做成,面团要发酵一整夜。",
      "把酵母揉进面团,直到面团光滑,然后放进热烤箱里烘焙。",
      "做蛋糕要用糖、黄油和面粉,烤箱里的外皮会变成棕色。",
      "想烤出好面包,要用新鲜的酵母和面粉,让面团发酵,再预热烤箱。"}},
    {"ja",
     {"サッカーの試合は三対零で勝ち、監督は選手をほめた。",
      "スタジアムではゴールキーパーがボールを止め、審判は得点を認めなかった。",
      "クラブには新しい選手が入り、昨シーズンの試合で二十得点を決めた。",
      "両チームの選手は試合で得点できず、監督はゴールキーパーの守りをほめた。"},
     {"パンは小麦粉と水と塩で作り、生地を一晩寝かせる。",
      "生地にイーストを入れてこね、熱いオーブンでパンを焼く。",
      "ケーキには砂糖とバターと小麦粉を使い、オーブンで焼くと茶色になる。",
      "おいしいパンを焼くには、新しいイーストと小麦粉で生地を作り、オーブンを温める。"}},
};

#endif

#include "page/soft404_phrases.h"

const struct soft404_phrase soft404_phrases[] = {
    /* English */
    {"page not found", 1}, {"404 not found", 1}, {"not found 404", 1}, {"file not found", 1}, {"error 404", 1},
    {"404 error", 1}, {"http 404", 1}, {"page cannot be found", 1}, {"page can not be found", 1},
    {"page can't be found", 1}, {"page can’t be found", 1}, {"page could not be found", 1},
    {"page couldn't be found", 1}, {"page couldn’t be found", 1}, {"page was not found", 1}, {"page wasn't found", 1},
    {"page is not found", 1}, {"page does not exist", 1}, {"page doesn't exist", 1}, {"page doesn’t exist", 1},
    {"page no longer exists", 1}, {"page is no longer available", 1}, {"page has been removed", 1},
    {"page is not available", 1}, {"page isn't available", 1}, {"page isn’t available", 1}, {"no such page", 1},
    {"can't find that page", 1}, {"can’t find that page", 1}, {"can't find the page", 1}, {"can’t find the page", 1},
    {"couldn't find that page", 1}, {"couldn’t find that page", 1}, {"couldn't find the page", 1},
    {"couldn’t find the page", 1}, {"could not find the page", 1}, {"unable to find the page", 1},
    {"url was not found", 1}, {"document not found", 1}, {"content not found", 1}, {"article not found", 1},
    {"resource not found", 1}, {"object not found", 1}, {"product not found", 1}, {"page you are looking for", 1},
    {"page you're looking for", 1}, {"page you’re looking for", 1}, {"page you were looking for", 1},
    {"page you requested", 1}, {"page unavailable", 1}, {"page missing", 1},
    {"not found", 0}, {"404", 0}, {"oops", 0}, {"error", 0}, {"no longer available", 0}, {"does not exist", 0},
    /* Chinese */
    {"页面不存在", 1}, {"页面未找到", 1}, {"未找到页面", 1}, {"找不到页面", 1}, {"页面找不到", 1}, {"找不到该页面", 1},
    {"无法找到该页", 1}, {"没有找到页面", 1}, {"网页不存在", 1}, {"页面已删除", 1}, {"页面已被删除", 1}, {"404错误", 1},
    {"错误404", 1}, {"頁面不存在", 1}, {"找不到頁面", 1}, {"網頁不存在", 1}, {"找不到網頁", 1}, {"找不到您", 0},
    /* Spanish */
    {"página no encontrada", 1}, {"pagina no encontrada", 1}, {"no se encontró la página", 1},
    {"no se ha encontrado la página", 1}, {"página no existe", 1}, {"no encontramos la página", 1},
    {"página que buscas", 1}, {"página que busca", 1}, {"página que está buscando", 1}, {"página no disponible", 1},
    {"no encontrado", 0}, {"no encontrada", 0},
    /* Arabic */
    {"الصفحة غير موجودة", 1}, {"لم يتم العثور على الصفحة", 1}, {"الصفحة المطلوبة غير موجودة", 1}, {"خطأ 404", 1},
    {"غير موجودة", 0},
    /* Hindi */
    {"पृष्ठ नहीं मिला", 1}, {"पेज नहीं मिला", 1}, {"पृष्ठ मौजूद नहीं है", 1}, {"पेज मौजूद नहीं है", 1}, {"नहीं मिला", 0},
    /* Portuguese */
    {"página não encontrada", 1}, {"pagina nao encontrada", 1}, {"página não existe", 1}, {"erro 404", 1},
    {"não encontramos a página", 1}, {"página que você procura", 1}, {"página não foi encontrada", 1},
    {"página que procura", 1}, {"não encontrada", 0}, {"não encontrado", 0},
    /* Russian */
    {"страница не найдена", 1}, {"страница не существует", 1}, {"страницы не существует", 1}, {"ошибка 404", 1},
    {"404 ошибка", 1}, {"страница не найдено", 1}, {"запрашиваемая страница", 1}, {"страница удалена", 1},
    {"не найдена", 0}, {"не найдено", 0},
    /* Japanese */
    {"ページが見つかりません", 1}, {"ページは見つかりません", 1},
    {"ページが存在しません", 1}, {"ページは存在しません", 1}, {"お探しのページ", 1}, {"見つかりません", 0},
    /* German */
    {"Seite nicht gefunden", 1}, {"Seite wurde nicht gefunden", 1}, {"Seite konnte nicht gefunden werden", 1},
    {"Seite existiert nicht", 1}, {"Seite gibt es nicht", 1}, {"Fehler 404", 1}, {"404 Fehler", 1},
    {"Datei nicht gefunden", 1}, {"Inhalt nicht gefunden", 1}, {"Seite ist nicht verfügbar", 1},
    {"Seite nicht verfügbar", 1}, {"nicht gefunden", 0},
    /* French */
    {"page non trouvée", 1}, {"page introuvable", 1}, {"page n'existe pas", 1}, {"page n’existe pas", 1},
    {"page n'existe plus", 1}, {"page n’existe plus", 1}, {"erreur 404", 1}, {"page est introuvable", 1},
    {"page demandée est introuvable", 1}, {"page n'a pas été trouvée", 1}, {"page n’a pas été trouvée", 1},
    {"page que vous recherchez", 1}, {"page que vous cherchez", 1}, {"introuvable", 0},
    /* Italian */
    {"pagina non trovata", 1}, {"pagina non esiste", 1}, {"errore 404", 1}, {"pagina inesistente", 1},
    {"pagina richiesta non", 1}, {"pagina che stai cercando", 1}, {"non trovata", 0},
    /* Korean */
    {"페이지를 찾을 수 없습니다", 1}, {"존재하지 않는 페이지", 1}, {"페이지가 존재하지 않습니다", 1},
    /* Turkish, Dutch, Polish, Persian, Indonesian, Vietnamese, Czech, Swedish */
    {"sayfa bulunamadı", 1}, {"404 hatası", 1}, {"aradığınız sayfa", 1}, {"pagina niet gevonden", 1},
    {"pagina bestaat niet", 1}, {"pagina is niet gevonden", 1}, {"nie znaleziono strony", 1}, {"strona nie istnieje", 1},
    {"strona nie została znaleziona", 1}, {"błąd 404", 1}, {"صفحه پیدا نشد", 1}, {"صفحه مورد نظر یافت نشد", 1},
    {"halaman tidak ditemukan", 1}, {"không tìm thấy trang", 1}, {"stránka nenalezena", 1}, {"stránka nebyla nalezena", 1},
    {"sidan hittades inte", 1}, {"sidan kunde inte hittas", 1},
};

const unsigned soft404_phrase_count = sizeof soft404_phrases / sizeof *soft404_phrases;

"""Ways to open a request, written by hand. Training puts them in front of some texts, so that the words of asking
lose their weight."""

OPENINGS = {
    "en": (
        "Can you help me", "Please", "I want to", "I need to", "How do I", "How can I", "Could you please",
        "I would like to", "Help me", "I'm looking for a way to", "Is there a tool to", "Show me how to",
        "What is the best way to", "I am trying to", "Let's", "I'd like you to", "Can I", "Do you know", "Tell me",
        "Give me", "I'm so excited, can you assist me with this:", "My boss asked me to", "For my project I have to",
    ),
    "lt": (
        "Prašau", "Noriu", "Man reikia", "Ar gali", "Kaip", "Padėk man", "Parodyk man",
    ),
    "de": (
        "Bitte", "Ich möchte", "Kannst du", "Wie kann ich", "Ich brauche", "Hilf mir", "Zeig mir",
    ),
    "es": (
        "Por favor", "Quiero", "Necesito", "Puedes", "Cómo puedo", "Ayúdame a", "Muéstrame",
    ),
    "fr": (
        "S'il te plaît", "Je veux", "J'ai besoin de", "Peux-tu", "Comment puis-je", "Aide-moi à", "Montre-moi",
    ),
    "pl": (
        "Proszę", "Chcę", "Potrzebuję", "Czy możesz", "Jak mogę", "Pomóż mi", "Pokaż mi",
    ),
    "pt": (
        "Por favor", "Quero", "Preciso", "Você pode", "Como posso", "Ajude-me a", "Mostre-me",
    ),
    "ja": (
        "お願いします", "したいです", "してください", "方法を教えて", "できますか", "手伝って",
    ),
    "zh": (
        "请", "我想", "我需要", "你能帮我", "怎么", "如何", "帮我",
    ),
    "ru": (
        "Пожалуйста", "Я хочу", "Мне нужно", "Можешь", "Как мне", "Помоги мне", "Покажи мне",
    ),
    "tr": (
        "Lütfen", "İstiyorum", "Bana lazım", "Yapabilir misin", "Nasıl", "Bana yardım et", "Bana göster",
    ),
    "ar": (
        "من فضلك", "أريد أن", "أحتاج إلى", "هل يمكنك", "كيف يمكنني", "ساعدني في", "أرني",
    ),
    "hi": (
        "कृपया", "मैं चाहता हूँ", "मुझे चाहिए", "क्या आप", "कैसे करें", "मेरी मदद करो", "मुझे दिखाओ",
    ),
}

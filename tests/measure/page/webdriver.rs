//! Controls a browser through Debian's chromedriver. WebDriver (<https://www.w3.org/TR/webdriver2/>) is JSON over HTTP.

use crate::tools;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time limit of any action on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page in Chromium, without a window.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// The folder for Chromium's data, which exists as long as Chromium runs.
    _home: tempfile::TempDir,
}

impl Browser {
    /// Opens a browser, or returns `None` if there is none.
    pub fn open() -> Option<Self> {
        if !tools::found(&["chromium", "chromedriver"]) {
            return None;
        }
        let found = |name| tools::program(name).expect("it was found");
        let (chromium, driver) = (found("chromium"), found("chromedriver"));
        let mut driver = Command::new(driver);
        let driver = driver.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut driver = driver.expect("chromedriver starts");
        let port = port(&mut driver);
        let home = tempfile::tempdir().expect("a temporary directory");
        let mut browser = Self { driver, port, session: String::new(), _home: home };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--force-device-scale-factor=1",
            &format!("--user-data-dir={}", browser._home.path().display()),
        ];
        let wanted = json!({
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "binary": chromium, "args": arguments },
        });
        let session = browser.ask("POST", "/session", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = request(self.port, method, path, body).expect("chromedriver answers");
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{method} {path}: {value:#}");
        value
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{what}", self.session), body)
    }

    /// Opens a file.
    pub fn show(&self, file: &std::path::Path) {
        self.post("url", &json!({ "url": format!("file://{}", file.display()) }));
    }

    /// Runs a piece of script and returns its result.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until this expression is true.
    pub fn wait(&self, expression: &str) {
        self.until(expression, || {});
    }

    /// Repeats an action until this expression is true.
    pub fn until(&self, expression: &str, act: impl Fn()) {
        let began = Instant::now();
        loop {
            act();
            if self.run(&format!("return !!({expression})")) == json!(true) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "never: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sets the size of the screen in pixels. A phone's screen takes touches.
    pub fn screen(&self, width: u32, height: u32, phone: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        self.devtools(
            "Emulation.setTouchEmulationEnabled",
            &json!({ "enabled": phone, "maxTouchPoints": 5 }),
        );
    }

    /// Sends a command of Chromium's DevTools protocol.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Moves pointers. Each has a list of actions, and all lists run at the same time.
    pub fn pointers(&self, kind: &str, pointers: &[Vec<Value>]) {
        let one = |(n, actions): (usize, &Vec<Value>)| json!({ "type": "pointer", "id": format!("{kind}{n}"), "parameters": { "pointerType": kind }, "actions": actions });
        let all: Vec<Value> = pointers.iter().enumerate().map(one).collect();
        self.post("actions", &json!({ "actions": all }));
    }

    /// Presses a key on the focused element.
    pub fn key(&self, key: &str) {
        let actions = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post("actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }

    /// The console messages since the last call, including errors and policy violations.
    pub fn console(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({ "type": "browser" }));
        log.as_array().expect("a list").iter().map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closes Chromium, which would outlive its driver.
        let _ = request(self.port, "DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Reads the port of the driver from a line of its output.
fn port(driver: &mut Child) -> u16 {
    let mut lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
    let found = lines.by_ref().find_map(|line| {
        let line = line.ok()?;
        line.strip_prefix("ChromeDriver was started successfully on port ")?
            .trim_end_matches('.')
            .parse()
            .ok()
    });
    // Something has to read the rest of the output.
    std::thread::spawn(move || lines.for_each(drop));
    found.expect("chromedriver says its port")
}

/// Sends a request and returns the answer.
fn request(port: u16, method: &str, path: &str, body: &Value) -> std::io::Result<Value> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut answer = vec![0; length];
    reader.read_exact(&mut answer)?;
    serde_json::from_slice(&answer).map_err(std::io::Error::other)
}

// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace of Linux with a loopback interface, and sockets of this process in it. It is
 * held by a process that ends with this one, so nothing is left on the machine; its other
 * interfaces go with it. Needs root, {@code unshare}, {@code nsenter} and {@code ip}.
 */
public final class NetworkNamespace implements AutoCloseable {

  private static final String HOLD = "ip link set lo up && echo up && exec cat >/dev/null";
  private static final String BRIDGE = "nodes";
  private static final String NETWORK = "10.42.0.";

  private final Process holder;

  private NetworkNamespace(Process holder) {
    this.holder = holder;
  }

  /** Returns why this machine does not allow what this class does, or nothing. */
  public static String refusal() throws IOException, InterruptedException {
    if (!System.getProperty("user.name").equals("root")) {
      return "only root may make namespaces that are connected";
    }
    for (String program : List.of("unshare", "nsenter", "ip")) {
      if (DebianPackages.onPath(program).isEmpty()) {
        return program + " is missing";
      }
    }
    Process tried =
        new ProcessBuilder("unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "true")
            .redirectErrorStream(true)
            .start();
    String said = new String(tried.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return tried.waitFor() == 0 ? "" : "namespaces are forbidden: " + said.strip();
  }

  /** Makes a namespace that is connected to nothing. */
  public static NetworkNamespace create() throws IOException {
    Process holder =
        new ProcessBuilder("unshare", "--net", "/bin/sh", "-c", HOLD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(holder.inputReader().readLine()).isEqualTo("up");
    return new NetworkNamespace(holder);
  }

  /** Makes a namespace with a switch for others. */
  public static NetworkNamespace node() throws Exception {
    NetworkNamespace node = create();
    node.run("ip", "link", "add", BRIDGE, "type", "bridge");
    node.run("ip", "addr", "add", NETWORK + "1/24", "dev", BRIDGE);
    node.run("ip", "link", "set", BRIDGE, "up");
    return node;
  }

  /** Makes a namespace that is connected to the switch of this one, with an address there. */
  public NetworkNamespace pod(int number) throws Exception {
    NetworkNamespace pod = create();
    String port = "pod" + number;
    run(
        "ip",
        "link",
        "add",
        port,
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        Long.toString(pod.pid()));
    run("ip", "link", "set", port, "master", BRIDGE, "up");
    pod.run("ip", "addr", "add", address(number) + "/24", "dev", "eth0");
    pod.run("ip", "link", "set", "eth0", "up");
    return pod;
  }

  public static String address(int number) {
    return NETWORK + (10 + number);
  }

  private long pid() {
    return holder.pid();
  }

  /** Returns the command that runs another one in this namespace. */
  public List<String> enter() {
    return List.of("nsenter", "--net=/proc/" + pid() + "/ns/net");
  }

  private void run(String... command) throws Exception {
    List<String> all = new ArrayList<>(enter());
    all.addAll(List.of(command));
    Distribution.program(Path.of("."), all.toArray(String[]::new));
  }

  /** Calls something that makes sockets; they belong to this namespace. */
  public <T> T in(Callable<T> action) throws IOException {
    FutureTask<T> task =
        new FutureTask<>(() -> {
          join("/proc/" + pid() + "/ns/net");
          return action.call();
        });
    Thread.ofPlatform().start(task); // it never leaves the namespace, so it ends
    try {
      return task.get(1, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** Has the present thread join a namespace: setns(2). */
  private static void join(String path) throws Exception {
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      int file =
          (int)
              call(
                  handle(
                      linker,
                      "open",
                      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
                      Linker.Option.firstVariadicArg(2)),
                  arena.allocateFrom(path),
                  0);
      MethodHandle setns =
          handle(linker, "setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
      MethodHandle close = handle(linker, "close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
      try {
        assertThat(call(setns, file, 0)).as("setns %s", path).isEqualTo(0);
      } finally {
        call(close, file);
      }
    }
  }

  @SuppressWarnings("restricted") // the tests run with --enable-native-access
  private static MethodHandle handle(
      Linker linker, String function, FunctionDescriptor types, Linker.Option... options) {
    return linker.downcallHandle(
        linker.defaultLookup().find(function).orElseThrow(), types, options);
  }

  private static Object call(MethodHandle function, Object... arguments) throws Exception {
    try {
      return function.invokeWithArguments(arguments);
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends the process that holds it; processes in it keep it until they end. */
  @Override
  public void close() {
    holder.destroyForcibly();
  }
}
